//! An embedded engine that follows a folder: `cargo run --example watch -- FOLDER`, then change a rule.
#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use std::path::Path;
use std::sync::mpsc::channel;

use pointsman::Engine;
use pointsman::RpcInvocation;
use pointsman::Url;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::WatchOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "examples/shop".to_owned());
    let engine = Engine::builder().build()?;
    let (sender, events) = channel();
    // Loads the folder now; later changes come on a thread of its own, until `_watched` is dropped.
    let tell = move |event| sender.send(event).unwrap_or_default();
    let _watched = engine.watch(Path::new(&folder), FolderOptions::default(), WatchOptions::default(), tell)?;

    for event in events {
        println!("generation {}: {:?} added, {:?} changed", event.generation, event.added, event.changed);
        for finding in &event.findings {
            println!("  {}: {finding}", finding.file().unwrap_or_default());
        }
        for file in &event.rejected {
            println!("  {file} has an error; what was last good of it stays in force");
        }
        // Calls go on meanwhile, on whatever thread, each over one generation.
        for service in engine.services() {
            let consumer = Url::parse(&format!("consumer://10.1.0.9/{}?application=shop-web", service.interface()))?;
            let decision = engine.select(&consumer, &RpcInvocation::new(service.interface(), "find"));
            println!("  {service}: {:?}", decision.map(|decision| decision.providers().count()).ok());
        }
    }
    Ok(())
}
