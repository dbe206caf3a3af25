//! The workload that speed is measured on, made in memory: the same providers as `generate.py` writes.
//!
//! `providers-10.txt` is what Python wrote; a test compares. The generator is Mersenne Twister, seeded as Python does.
#![allow(dead_code, unreachable_pub, reason = "benches and tests use a part of it each")]

/// The interface of every provider.
pub const INTERFACE: &str = "com.foo.BarService";

/// The rule of W1 and W2.
pub const RULE: &str = include_str!("rule-w1.txt");

/// The consumer of every call.
pub const CONSUMER: &str = include_str!("consumer.txt");

/// The same where one rule alone is looked at: the router of tags, which stands in every chain, is taken away, since some of
/// the providers carry a tag.
pub fn consumer_without_tags() -> String {
    format!("{}&router=-tag", CONSUMER.trim())
}

/// Ten conditions of the providers' application.
pub const APPLICATION: &str = include_str!("doc-application.txt");

/// Five conditions of the service.
pub const SERVICE: &str = include_str!("doc-service.txt");

/// Tags of the providers' application.
pub const TAG: &str = include_str!("doc-tag.txt");

/// A document as a folder has it: in a configuration centre its key tells what it is for, in a folder it does itself.
pub fn document(text: &str) -> String {
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    let scope = if has("scope:") { "" } else { "scope: application\n" };
    let key = if has("key:") { "" } else { "key: provider-app\n" };
    format!("{scope}{key}{text}")
}

/// The first `count` providers, as URL texts.
pub fn providers(count: usize) -> Vec<String> {
    const REGIONS: [&str; 5] = ["hangzhou", "shanghai", "beijing", "shenzhen", "chengdu"];
    const OWNERS: [&str; 5] = ["ann", "bob", "cho", "dee", "eva"];
    let mut random = Twister::seeded(20_240_607);
    let make = |index: usize| {
        let zone = random.below(20);
        let is_gray_environment = random.fraction() < 0.05;
        let has_gray_tag = random.fraction() < 0.10;
        // Of the first ten exactly one carries the tag, and all are in production.
        let (gray, environment) = match index {
            0..10 => (index == 0, "prod"),
            _ => (has_gray_tag, if is_gray_environment { "gray" } else { "prod" }),
        };
        let owner = OWNERS[random.below(5) as usize];
        let pid = 1_000 + random.below(59_000);
        let timeout = [1_000, 3_000, 5_000][random.below(3) as usize];
        let timestamp = 1_700_000_000_000_u64 + u64::from(random.below(1_000_000_000));
        let weight = [50, 100, 200][random.below(3) as usize];
        let region = REGIONS[index % 5];
        let last = if gray { "dubbo.tag=gray" } else { "bean.name=bar" };
        format!(
            "dubbo://10.{}.{}.{}:20880/{INTERFACE}?anyhost=true&application=provider-app&category=providers&\
             deprecated=false&dubbo=2.0.2&dynamic=true&env={environment}&generic=false&interface={INTERFACE}&\
             methods=sayHello,sayBye,getOne,findAll&owner={owner}&pid={pid}&region={region}&release=3.3.1&retries=2&\
             revision=1.0.0&serialization=hessian2&side=provider&threads=200&timeout={timeout}&timestamp={timestamp}&\
             version=1.0.0&weight={weight}&zone=zone-{zone}&{last}",
            1 + (index >> 16),
            (index >> 8) & 255,
            index & 255,
        )
    };
    (0..count).map(make).collect()
}

/// MT19937 with Python's seeding and its ways to draw.
struct Twister {
    state: [u32; 624],
    next: usize,
}

impl Twister {
    fn seeded(seed: u32) -> Self {
        let mut state = [0_u32; 624];
        state[0] = 19_650_218;
        for i in 1..624 {
            state[i] = 1_812_433_253_u32.wrapping_mul(state[i - 1] ^ (state[i - 1] >> 30)).wrapping_add(i as u32);
        }
        let mix = |state: &[u32; 624], i: usize, factor: u32| {
            state[i] ^ (state[i - 1] ^ (state[i - 1] >> 30)).wrapping_mul(factor)
        };
        let mut i = 1;
        for _ in 0..624 {
            state[i] = mix(&state, i, 1_664_525).wrapping_add(seed);
            i += 1;
            if i == 624 {
                state[0] = state[623];
                i = 1;
            }
        }
        for _ in 0..623 {
            state[i] = mix(&state, i, 1_566_083_941).wrapping_sub(i as u32);
            i += 1;
            if i == 624 {
                state[0] = state[623];
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        Self { state, next: 624 }
    }

    fn word(&mut self) -> u32 {
        if self.next == 624 {
            for i in 0..624 {
                let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % 624] & 0x7fff_ffff);
                let twist = if y & 1 == 0 { 0 } else { 0x9908_b0df };
                self.state[i] = self.state[(i + 397) % 624] ^ (y >> 1) ^ twist;
            }
            self.next = 0;
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// A number from 0 to below `bound`, drawn as `randrange` does.
    fn below(&mut self, bound: u32) -> u32 {
        let bits = u32::BITS - bound.leading_zeros();
        loop {
            let drawn = self.word() >> (32 - bits);
            if drawn < bound {
                return drawn;
            }
        }
    }

    /// A number from 0 to below 1, drawn as `random` does.
    fn fraction(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }
}
