/** The moment at which everything of the benchmark is asked. */
export const BENCH_NOW = Date.UTC(2026, 10, 20, 9, 0, 0);

/** Whose data it is. */
export const OWNER = {
  tenant: '11111111-1111-4111-8111-111111111111',
  user: '22222222-2222-4222-8222-222222222222',
  actor: '22222222-2222-4222-8222-222222222222',
};
