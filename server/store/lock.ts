export async function holdFolder(_dir: string, _now: number): Promise<{ release(): Promise<void> }> {
  return { release: async () => undefined };
}
