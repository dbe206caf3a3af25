//! Which build of the crate a process runs: host and worker must be of the same.

/// Version, features and target of this build.
pub(super) fn id() -> String {
    let features = [
        (cfg!(feature = "boa"), "boa"),
        (cfg!(feature = "cli"), "cli"),
        (cfg!(feature = "lua"), "lua"),
        (cfg!(feature = "quickjs"), "quickjs"),
        (cfg!(feature = "rhai"), "rhai"),
    ];
    let features: Vec<&str> = features.iter().filter(|(is_there, _)| *is_there).map(|(_, name)| *name).collect();
    let environment = if cfg!(target_env = "musl") { "musl" } else { "gnu" };
    format!(
        "{} ({}) {}-{}-{environment}",
        env!("CARGO_PKG_VERSION"),
        features.join(","),
        std::env::consts::ARCH,
        std::env::consts::OS
    )
}
