//! A table from which one of many is drawn by weight with a single look, however many there are.
//!
//! Walker's alias method, built as Vose does: every column has the same width and holds at most two candidates. All
//! sums are whole numbers; only the place of the border inside a column is rounded, to 2⁻³².

/// Positions with their weights, for drawing.
#[derive(Debug)]
pub(crate) struct AliasTable {
    columns: Box<[Column]>,
}

/// Below the border `own` is drawn, else `other`. One place in memory tells all that a draw needs.
#[derive(Debug, Clone, Copy)]
struct Column {
    border: u32,
    own: u32,
    other: u32,
}

// === impl AliasTable ===

impl AliasTable {
    /// A table of labels with their weights. If all weights are 0 the shares are equal; else a 0 is never drawn.
    pub(crate) fn build(entries: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let (count, total) =
            entries.clone().fold((0, 0), |(count, total), (_, weight)| (count + 1, total + u64::from(weight)));
        // A column is `total` wide and a candidate `count` times its weight.
        let (width, scale) = if total == 0 { (1, None) } else { (total, Some(count)) };
        let size = |weight: u32| scale.map_or(1, |scale: u64| scale * u64::from(weight));
        let mut sizes: Vec<u64> = entries.clone().map(|(_, weight)| size(weight)).collect();
        let mut columns: Vec<Column> = entries.map(|(own, _)| Column { border: 0, own, other: own }).collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (index, size) in (0..).zip(&sizes) {
            if *size < width { small.push(index) } else { large.push(index) }
        }
        while let (Some(short), Some(&long)) = (small.pop(), large.last()) {
            let (short, at) = (short as usize, long as usize);
            let size = sizes.get(short).copied().unwrap_or(0);
            let other = columns.get(at).map_or(0, |column| column.own);
            if let Some(column) = columns.get_mut(short) {
                column.border = ((u128::from(size) << 32) / u128::from(width)) as u32;
                column.other = other;
            }
            let Some(rest) = sizes.get_mut(at) else { break };
            *rest -= width - size;
            if *rest < width {
                large.pop();
                small.push(long);
            }
        }
        Self { columns: columns.into() }
    }

    /// The label that 64 random bits stand for; none of an empty table.
    #[inline]
    pub(crate) fn draw(&self, random: u64) -> Option<u32> {
        let wide = u128::from(random) * self.columns.len() as u128;
        let column = self.columns.get((wide >> 64) as usize)?;
        // What is left after the column was found is as random as before.
        let within = (wide as u64 >> 32) as u32;
        Some(if within < column.border { column.own } else { column.other })
    }

    /// Bytes of memory behind the table.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::mix;

    /// The share of each label, from the borders.
    fn shares(weights: &[u32]) -> Vec<f64> {
        let table = AliasTable::build((0..).zip(weights.iter().copied()));
        let mut shares = vec![0.0; weights.len()];
        for column in &table.columns {
            let own = f64::from(column.border) / (1_u64 << 32) as f64;
            shares[column.own as usize] += own / weights.len() as f64;
            shares[column.other as usize] += (1.0 - own) / weights.len() as f64;
        }
        shares
    }

    #[test]
    fn shares_are_the_weights() {
        let many: Vec<u32> = (0..1_000).map(|index| (mix(index) % 1_000) as u32).collect();
        for weights in [&[1, 2, 5][..], &[0, 7, 0], &[i32::MAX as u32, 1], &[3], &[1; 9], &many] {
            let total: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
            for (share, weight) in shares(weights).iter().zip(weights) {
                assert!((share - f64::from(*weight) / total).abs() < 1e-9, "{weights:?}");
            }
        }
        assert_eq!(shares(&[0, 0, 0, 0]), [0.25; 4]);
    }

    #[test]
    fn a_weight_of_0_is_never_drawn() {
        let table = AliasTable::build((0..).zip([0, 1, 0, 3, 0]));
        assert!((0..10_000).all(|seed| matches!(table.draw(mix(seed)), Some(1 | 3))));
        assert_eq!((table.draw(0), table.draw(u64::MAX)).0, Some(3));
        assert_eq!(AliasTable::build((0..).zip([])).draw(1), None);
    }
}
