//! Where a worker meets the kernel: confinement, clocks, descriptors, shared memory, the counting allocator.
//!
//! All `unsafe` code of workers is in this folder.

mod allocator;
mod clock;
mod confine;
mod descriptor;
mod exit;
mod mapping;
mod syscalls;

pub use allocator::CountingAllocator;

pub(super) use allocator::arm;
pub(super) use allocator::disarm;
pub(super) use clock::arm_timer;
pub(super) use clock::cpu_of;
pub(super) use clock::disarm_timer;
pub(super) use clock::own_cpu;
pub(super) use confine::before_threads;
pub(super) use confine::block_signals;
pub(super) use confine::limit_memory;
pub(super) use confine::limit_the_rest;
pub(super) use confine::restrict_files;
pub(super) use descriptor::close_all_but_standard;
pub(super) use descriptor::standard_input;
pub(super) use exit::exit_now;
pub(super) use mapping::Mapping;
pub(super) use syscalls::Profile;
pub(super) use syscalls::restrict_system_calls;
