//! Stacked heights, and the sum above each.

/// Heights with prefix sums: changing one, appending one and asking for the sum above one cost
/// logarithmic time, so that a change far up in a long transcript is as cheap as one at its end.
/// A Fenwick tree; `usize`, since a transcript outgrows `u16` rows within minutes.
#[derive(Clone, Debug, Default)]
pub struct Heights {
    values: Vec<usize>,
    /// `sums[i]` is the sum of the `lowbit(i + 1)` values that end with `i`.
    sums: Vec<usize>,
}

fn lowbit(n: usize) -> usize {
    n & n.wrapping_neg()
}

impl Heights {
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The height of `at`; 0 beyond the end.
    pub fn get(&self, at: usize) -> usize {
        self.values.get(at).copied().unwrap_or(0)
    }

    pub fn push(&mut self, height: usize) {
        let end = self.values.len() + 1;
        let start = end - lowbit(end);
        let sum = self.before(end - 1) - self.before(start) + height;
        self.values.push(height);
        self.sums.push(sum);
    }

    /// Changes one height; nothing beyond the end.
    pub fn set(&mut self, at: usize, height: usize) {
        let Some(value) = self.values.get_mut(at) else {
            return;
        };
        let old = std::mem::replace(value, height);
        if old == height {
            return;
        }
        let mut node = at + 1;
        while let Some(sum) = self.sums.get_mut(node - 1) {
            *sum = *sum + height - old;
            node += lowbit(node);
        }
    }

    pub fn truncate(&mut self, len: usize) {
        // A node covers what lies before it, never what comes after.
        self.values.truncate(len);
        self.sums.truncate(len);
    }

    /// The sum of the first `count` heights.
    pub fn before(&self, count: usize) -> usize {
        let mut node = count.min(self.len());
        let mut sum = 0;
        while node > 0 {
            sum += self.sums[node - 1];
            node -= lowbit(node);
        }
        sum
    }

    pub fn total(&self) -> usize {
        self.before(self.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_are_those_of_the_heights(
            steps in proptest::collection::vec((0..3_u8, 0..40_usize, 0..100_usize), 1..80),
        ) {
            let (mut heights, mut plain) = (Heights::default(), Vec::new());
            for (step, at, height) in steps {
                match step {
                    0 => {
                        heights.push(height);
                        plain.push(height);
                    }
                    1 => {
                        heights.set(at, height);
                        if let Some(value) = plain.get_mut(at) {
                            *value = height;
                        }
                    }
                    _ => {
                        heights.truncate(at);
                        plain.truncate(at);
                    }
                }
                for count in 0..=plain.len() {
                    prop_assert_eq!(heights.before(count), plain[..count].iter().sum::<usize>());
                }
                prop_assert_eq!(heights.len(), plain.len());
            }
        }
    }
}
