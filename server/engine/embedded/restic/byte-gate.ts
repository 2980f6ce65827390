import type { Bytes } from '#contract/ids.ts';

/** Lets work through while what it holds in memory stays below a limit, in the order of arrival. */
export class ByteGate {
  readonly #limit: Bytes;
  readonly #waiting: { readonly bytes: Bytes; readonly start: () => void }[] = [];
  #held: Bytes = 0;

  constructor(limit: Bytes) {
    this.#limit = limit;
  }

  async pass<T>(bytes: Bytes, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#fits(bytes))
      await new Promise<void>((start) => this.#waiting.push({ bytes, start }));
    else this.#held += bytes;
    try {
      return await work();
    } finally {
      this.#held -= bytes;
      this.#startNext();
    }
  }

  /** More than the limit passes alone. */
  #fits(bytes: Bytes): boolean {
    return this.#held === 0 || this.#held + bytes <= this.#limit;
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#held += next.bytes;
      next.start();
    }
  }
}
