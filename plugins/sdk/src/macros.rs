//! The line that exports a plugin.

/// Exports a [`Router`](crate::Router) as a plugin: its manifest, and the function that the host looks for. Once a library.
///
/// The type comes first, then in any order:
///
/// | key | value | default |
/// |---|---|---|
/// | `name` | what rules call it | must be there |
/// | `version` | the plugin's version | the package's |
/// | `serial` | `true`: the host makes one call at a time | `false` |
/// | `threads` | `true`: it starts threads of its own, so it can only be native | `false` |
/// | `inputs` | what it sees of a call, see below | nothing |
///
/// Inputs, in any order: `method: true`, `consumer: ["application"]`, `attachments: ["{key}"]`, `arguments: [0, 1]`,
/// `random: true`, `clock: ["hour", "minute", "weekday", "now"]`. A name `{key}` is taken from the rule's configuration,
/// `{key=areaCode}` with a default; the attachment `*` is all of them, and costs the memory of answers. Values are literals or names of constants.
///
/// ```standalone_crate
/// use pointsman_plugin::*;
///
/// struct Nobody;
///
/// impl Router for Nobody {
///     type Snapshot = ();
///     fn new(_: &Config) -> Result<Self, String> {
///         Ok(Self)
///     }
///     fn snapshot(&self, _: &Blob) -> Result<(), String> {
///         Ok(())
///     }
///     fn route(&self, _: &(), call: &Call, keep: &mut Selection) -> Result<Verdict, String> {
///         call.explain(|| "nobody may serve this");
///         keep.retain(None);
///         Ok(Verdict::Use)
///     }
/// }
///
/// pointsman_plugin!(Nobody, inputs = { clock: ["hour"], method: true }, serial = true, name = "nobody");
///
/// let kept = testing::plugin::<Nobody>().providers(["dubbo://10.0.0.1:20880/Orders"]).route().unwrap();
/// assert_eq!((kept.positions(), kept.explanations()), (&[][..], &["nobody may serve this".to_owned()][..]));
/// ```
///
/// A key that is not known does not compile, and neither does a plugin without a name:
///
/// ```compile_fail
/// # use pointsman_plugin::*;
/// # struct Nobody;
/// # impl Router for Nobody {
/// #     type Snapshot = ();
/// #     fn new(_: &Config) -> Result<Self, String> { Ok(Self) }
/// #     fn snapshot(&self, _: &Blob) -> Result<(), String> { Ok(()) }
/// #     fn route(&self, _: &(), _: &Call, _: &mut Selection) -> Result<Verdict, String> { Ok(Verdict::Pass) }
/// # }
/// pointsman_plugin!(Nobody, name = "nobody", input = { method: true });
/// ```
///
/// ```compile_fail
/// # use pointsman_plugin::*;
/// # struct Nobody;
/// # impl Router for Nobody {
/// #     type Snapshot = ();
/// #     fn new(_: &Config) -> Result<Self, String> { Ok(Self) }
/// #     fn snapshot(&self, _: &Blob) -> Result<(), String> { Ok(()) }
/// #     fn route(&self, _: &(), _: &Call, _: &mut Selection) -> Result<Verdict, String> { Ok(Verdict::Pass) }
/// # }
/// pointsman_plugin!(Nobody, version = "1.0.0");
/// ```
#[macro_export]
macro_rules! pointsman_plugin {
    ($router:ty $(, $key:ident = $value:tt)* $(,)?) => {
        const _: () = {
            $crate::__pointsman_plugin_manifest!($router $(, $key = $value)*);

            #[used]
            #[cfg_attr(target_os = "linux", unsafe(link_section = ".pointsman"))]
            static SECTION: [u8; MANIFEST.section_len()] = MANIFEST.section();

            /// Fills the table of functions.
            ///
            /// # Safety
            ///
            /// As the ABI says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn pointsman_plugin_entry_v1(
                host: *const $crate::__private::HostV1,
                out: *mut $crate::__private::PluginV1,
            ) -> i32 {
                // SAFETY: the host's promise, handed on.
                unsafe { $crate::__private::entry::<$router>(host, out) }
            }
        };
    };
    ($($other:tt)*) => {
        compile_error!("write `pointsman_plugin!(Type, name = \"…\", inputs = { … });`");
    };
}

/// The constant `MANIFEST`, and the type as a plugin whose `SECTION` is in scope.
#[doc(hidden)]
#[macro_export]
macro_rules! __pointsman_plugin_manifest {
    ($router:ty $(, $key:ident = $value:tt)*) => {
        const MANIFEST: $crate::Manifest = {
            #[allow(unused_mut, reason = "a plugin without keys is refused by `checked`")]
            let mut manifest = $crate::Manifest::new(env!("CARGO_PKG_VERSION"), cfg!(panic = "abort"));
            $($crate::__pointsman_plugin_key!(manifest, $key, $value);)*
            manifest.checked()
        };

        impl $crate::Plugin for $router {
            const MANIFEST: $crate::Manifest = MANIFEST;
            const SECTION: &'static [u8] = &SECTION;
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __pointsman_plugin_key {
    ($manifest:ident, name, $value:tt) => {
        $manifest.name = $value;
    };
    ($manifest:ident, version, $value:tt) => {
        $manifest.version = $value;
    };
    ($manifest:ident, threads, $value:tt) => {
        $manifest.threads = $value;
    };
    ($manifest:ident, serial, $value:tt) => {
        $manifest.serial = $value;
    };
    ($manifest:ident, inputs, { $($key:ident: $value:tt),* $(,)? }) => {
        $($crate::__pointsman_plugin_input!($manifest, $key, $value);)*
    };
    ($manifest:ident, inputs, $value:tt) => {
        compile_error!("pointsman_plugin!: write `inputs = { attachments: [\"…\"], method: true }`");
    };
    ($manifest:ident, $other:ident, $value:tt) => {
        compile_error!(concat!(
            "pointsman_plugin!: `",
            stringify!($other),
            "` is not known; known are `name`, `version`, `serial`, `threads`, `inputs`"
        ));
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __pointsman_plugin_input {
    ($manifest:ident, method, $value:tt) => {
        $manifest.inputs.method = $value;
    };
    ($manifest:ident, consumer, $value:tt) => {
        $manifest.inputs.consumer = &$value;
    };
    ($manifest:ident, attachments, $value:tt) => {
        $manifest.inputs.attachments = &$value;
    };
    ($manifest:ident, arguments, $value:tt) => {
        $manifest.inputs.arguments = &$value;
    };
    ($manifest:ident, random, $value:tt) => {
        $manifest.inputs.random = $value;
    };
    ($manifest:ident, clock, $value:tt) => {
        $manifest.inputs.clock = &$value;
    };
    ($manifest:ident, $other:ident, $value:tt) => {
        compile_error!(concat!(
            "pointsman_plugin!: the input `",
            stringify!($other),
            "` is not known; known are `method`, `consumer`, `attachments`, `arguments`, `random`, `clock`"
        ));
    };
}
