//! The way of a call from snapshot to bound chain, against a writer, in every order of steps.
//!
//! A model, not the code itself: `Session::look`, `remember` and `walk_chain`, `Bindings::bind` and `Shared::change`,
//! line by line without what they compute. `ArcSwap` is a lock here: what it promises is that a load answers with what
//! was stored last. Two consumers, of which a service remembers one, make every binding forget the other.

use loom::sync::Arc;
use loom::sync::Mutex;
use loom::thread;

use crate::alone;

const MAX_BINDINGS: usize = 1;

/// Stands for `ArcSwap`.
struct Swap<T>(Mutex<Arc<T>>);

struct Snapshot {
    generation: u64,
    service: Arc<Service>,
}

struct Service {
    /// The engine's generation in which it last changed: what its chains answer.
    generation: u64,
    bound: Swap<BindingMap>,
    writing: Mutex<()>,
}

#[derive(Default, Clone)]
struct BindingMap {
    epoch: u32,
    by_consumer: Vec<(usize, usize)>,
    chains: Vec<Chain>,
}

/// A bound chain, and its whole answer.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Chain {
    consumer: usize,
    generation: u64,
}

#[derive(Clone, Copy)]
struct Place {
    epoch: u32,
    number: usize,
}

struct Remembered {
    generation: u64,
    service_generation: u64,
    place: Place,
    memo: Option<Chain>,
}

/// What one thread remembers of each consumer.
#[derive(Default)]
struct Session {
    consumers: [Option<Remembered>; 2],
}

// === impl Swap ===

impl<T> Swap<T> {
    fn new(value: T) -> Self {
        Self(Mutex::new(Arc::new(value)))
    }

    fn load(&self) -> Arc<T> {
        self.0.lock().unwrap().clone()
    }

    fn store(&self, value: T) {
        *self.0.lock().unwrap() = Arc::new(value);
    }
}

// === impl Service ===

impl Service {
    fn new(generation: u64) -> Arc<Self> {
        Arc::new(Self { generation, bound: Swap::new(BindingMap::default()), writing: Mutex::new(()) })
    }

    fn bind(&self, consumer: usize) -> (Place, Chain) {
        if let Some(found) = self.bound.load().find(consumer) {
            return found;
        }
        let chain = Chain { consumer, generation: self.generation };
        let _writing = self.writing.lock().unwrap();
        let mut map = BindingMap::clone(&self.bound.load());
        if let Some(found) = map.find(consumer) {
            return found;
        }
        if map.chains.len() >= MAX_BINDINGS {
            map = BindingMap { epoch: map.epoch + 1, ..BindingMap::default() };
        }
        let place = Place { epoch: map.epoch, number: map.chains.len() };
        map.by_consumer.push((consumer, place.number));
        map.chains.push(chain);
        self.bound.store(map);
        (place, chain)
    }
}

impl BindingMap {
    fn get(&self, place: Place) -> Option<Chain> {
        self.chains.get(place.number).copied().filter(|_| place.epoch == self.epoch)
    }

    fn find(&self, consumer: usize) -> Option<(Place, Chain)> {
        let (_, number) = *self.by_consumer.iter().find(|(known, _)| *known == consumer)?;
        Some((Place { epoch: self.epoch, number }, *self.chains.get(number)?))
    }
}

// === impl Session ===

impl Session {
    /// The generation of the call, and its answer.
    fn select(&mut self, engine: &Swap<Snapshot>, consumer: usize) -> (Arc<Snapshot>, Chain) {
        let snapshot = loop {
            let snapshot = engine.load();
            match &self.consumers[consumer] {
                Some(known) if known.generation == snapshot.generation => break snapshot,
                _ => self.remember(&snapshot, consumer),
            }
        };
        let known = self.consumers[consumer].as_mut().unwrap();
        if let Some(answer) = known.memo {
            return (snapshot, answer);
        }
        let service = &snapshot.service;
        let answer = match service.bound.load().get(known.place) {
            Some(chain) => chain,
            None => {
                let (place, chain) = service.bind(consumer);
                known.place = place;
                chain
            }
        };
        known.memo = Some(answer);
        (snapshot, answer)
    }

    fn remember(&mut self, snapshot: &Snapshot, consumer: usize) {
        if let Some(known) = &mut self.consumers[consumer]
            && known.service_generation == snapshot.service.generation
        {
            known.generation = snapshot.generation;
            return;
        }
        let (generation, service_generation) = (snapshot.generation, snapshot.service.generation);
        let (place, _) = snapshot.service.bind(consumer);
        self.consumers[consumer] = Some(Remembered { generation, service_generation, place, memo: None });
    }
}

/// Publishes the next generation; the service is another one, or the same.
fn publish(engine: &Swap<Snapshot>, is_changed: bool) {
    let current = engine.load();
    let generation = current.generation + 1;
    let service = if is_changed { Service::new(generation) } else { Arc::clone(&current.service) };
    engine.store(Snapshot { generation, service });
}

#[test]
fn no_order_of_steps_gives_a_call_half_a_change_or_an_older_one() {
    let _alone = alone();
    for changes in [[true, true], [false, true], [true, false]] {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let engine = Arc::new(Swap::new(Snapshot { generation: 1, service: Service::new(1) }));
            let callers = [[0, 1], [1, 1]].map(|consumers| {
                let engine = Arc::clone(&engine);
                thread::spawn(move || {
                    let (mut session, mut last) = (Session::default(), 0);
                    for consumer in consumers {
                        let (snapshot, answer) = session.select(&engine, consumer);
                        let expected = Chain { consumer, generation: snapshot.service.generation };
                        assert_eq!(answer, expected, "under generation {}", snapshot.generation);
                        assert!(snapshot.generation >= last);
                        last = snapshot.generation;
                    }
                })
            });
            changes.iter().for_each(|is_changed| publish(&engine, *is_changed));
            callers.into_iter().for_each(|caller| caller.join().unwrap());
        });
    }
}
