/** Numbers from 0 to below `max`, the same each time. */
export const makeRandom = (seed: number) => {
  let state = seed * 7919 + 17;
  return (max: number): number => (state = (state * 48_271) % 2_147_483_647) % max;
};
