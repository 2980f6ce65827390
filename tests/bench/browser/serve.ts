import type { Contender } from './questions.ts';

interface Query {
  readonly id: number;
  readonly what: keyof Contender | 'prepare';
  readonly with: readonly unknown[];
}

/**
 * Answers the page's messages, once the contender is there. `prepare` makes what a change is made
 * of beforehand, so that making it is not timed.
 */
export function serve(
  coming: Contender | Promise<Contender>,
  prepare: (runs: number) => unknown,
): void {
  self.addEventListener('message', (message: MessageEvent<Query>) => {
    const { id, what, with: input } = message.data;
    const work = async (): Promise<unknown> => {
      if (what === 'prepare') {
        await prepare(Number(input[0]));
        return null;
      }
      const contender = await coming;
      return (contender[what] as (...all: readonly unknown[]) => Promise<unknown>)(...input);
    };
    work().then(
      (value) => self.postMessage({ id, value }),
      (error: unknown) =>
        self.postMessage({ id, error: String(error instanceof Error ? error.stack : error) }),
    );
  });
  self.postMessage({ id: 0, value: 'ready' });
}
