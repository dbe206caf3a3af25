//! The alarm of processor time, over the runs of a worker.

use std::time::Duration;

use crate::worker::os;

/// How far behind a run's own deadline the alarm stands at most: a service that ends by itself can say more.
fn slack(budget: Duration) -> Duration {
    (budget / 4).saturating_add(Duration::from_millis(5))
}

/// Kills this process when a run has used its processor time and some slack.
///
/// PERF: it stays set from run to run for as long as it stands between half of the slack and all of it behind the deadline
/// of the run that begins: some hundred short runs share one system call (`worker/run`).
#[derive(Debug, Default)]
pub(super) struct Alarm {
    /// The processor time at which it rings; zero while it is not set.
    at: Duration,
    set: SetTimer,
}

/// How the system is asked; none takes the alarm back.
#[derive(Debug, Clone, Copy)]
struct SetTimer(fn(Option<Duration>));

// === impl Alarm ===

impl Alarm {
    /// A run begins that may use `budget`, when the process has used `now`.
    pub(super) fn begin(&mut self, now: Duration, budget: Duration) {
        let slack = slack(budget);
        let last = now.saturating_add(budget).saturating_add(slack);
        if self.at < last.saturating_sub(slack / 2) || self.at > last {
            (self.set.0)(Some(last.saturating_sub(now)));
            self.at = last;
        }
    }

    /// A run that might use `budget` is over, when the process has used `now`. An alarm that could ring before the next
    /// run sets it is taken back.
    pub(super) fn end(&mut self, now: Duration, budget: Duration) {
        if self.at < now.saturating_add(budget).saturating_add(slack(budget) / 2) {
            self.silence();
        }
    }

    /// Something long begins that has no limit.
    pub(super) fn silence(&mut self) {
        if self.at != Duration::ZERO {
            (self.set.0)(None);
            self.at = Duration::ZERO;
        }
    }
}

impl Default for SetTimer {
    fn default() -> Self {
        Self(|time| time.map_or_else(os::disarm_timer, os::arm_timer))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    const BUDGET: Duration = Duration::from_millis(20);

    thread_local! {
        static ASKED: RefCell<Vec<Option<u64>>> = const { RefCell::new(Vec::new()) };
    }

    fn alarm() -> Alarm {
        let set = SetTimer(|time| ASKED.with_borrow_mut(|asked| asked.push(time.map(|time| time.as_millis() as u64))));
        Alarm { at: Duration::ZERO, set }
    }

    fn asked() -> Vec<Option<u64>> {
        ASKED.take()
    }

    #[test]
    fn short_runs_share_an_alarm_that_is_never_further_than_all_of_the_slack() {
        let (mut alarm, mut now) = (alarm(), Duration::from_secs(1));
        for _ in 0..1_000 {
            alarm.begin(now, BUDGET);
            let after_deadline = alarm.at - now - BUDGET;
            assert!(after_deadline <= slack(BUDGET) && after_deadline >= slack(BUDGET) / 2, "{after_deadline:?}");
            now += Duration::from_micros(20);
            alarm.end(now, BUDGET);
        }
        let asked = asked();
        assert!(asked.len() <= 8, "{asked:?}");
        assert!(asked.iter().flatten().all(|time| *time == 30), "{asked:?}");
    }

    #[test]
    fn a_long_run_takes_its_alarm_back_and_another_budget_sets_its_own() {
        let (mut alarm, now) = (alarm(), Duration::from_secs(1));
        alarm.begin(now, BUDGET);
        alarm.end(now + Duration::from_millis(19), BUDGET);
        assert_eq!(asked(), [Some(30), None]);
        alarm.begin(now, BUDGET);
        alarm.end(now, BUDGET);
        alarm.begin(now, BUDGET / 4);
        alarm.begin(now, BUDGET);
        alarm.silence();
        alarm.silence();
        assert_eq!(asked(), [Some(30), Some(11), Some(30), None]);
    }
}
