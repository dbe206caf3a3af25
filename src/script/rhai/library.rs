//! What is there for scripts: parts of Rhai's library and the host's functions, in one module.

use std::rc::Rc;

use rhai::Module;
use rhai::packages::ArithmeticPackage;
use rhai::packages::BasicArrayPackage;
use rhai::packages::BasicIteratorPackage;
use rhai::packages::BasicMapPackage;
use rhai::packages::BasicMathPackage;
use rhai::packages::BasicStringPackage;
use rhai::packages::LogicPackage;
use rhai::packages::MoreStringPackage;
use rhai::packages::Package as _;

use crate::script::rhai::call;
use crate::script::rhai::each;
use crate::script::rhai::host::Host;
use crate::script::rhai::invoker;
use crate::script::rhai::order;
use crate::script::rhai::text;

/// All functions. Left out of Rhai's: the core package (`sleep`, `exit`, `parse_json`, tags, reflection), blobs, bit
/// fields, time and modules.
pub(super) fn module(host: &Rc<Host>) -> Module {
    let mut module = Module::new();
    ArithmeticPackage::init(&mut module);
    LogicPackage::init(&mut module);
    BasicMathPackage::init(&mut module);
    BasicIteratorPackage::init(&mut module);
    BasicStringPackage::init(&mut module);
    MoreStringPackage::init(&mut module);
    BasicArrayPackage::init(&mut module);
    BasicMapPackage::init(&mut module);
    // A function that is looked up by need costs each run some microseconds; and only what is registered is replaced.
    module.register_lazy_functions();
    text::register(&mut module, host);
    order::register(&mut module, host);
    each::register(&mut module);
    invoker::register(&mut module, host);
    call::register(&mut module, host);
    module
}
