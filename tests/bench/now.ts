/** The moment at which everything of the benchmark is asked. */
export const BENCH_NOW = Date.UTC(2026, 10, 20, 9, 0, 0);
