import * as v from 'valibot';

/** New events that came with a poke. They are read one by one, as those of a pull. */
export const PushedPageSchema = v.object({
  after: v.number(),
  cursor: v.number(),
  events: v.array(v.unknown()),
  causes: v.optional(v.array(v.unknown())),
});
export type Pushed = v.InferOutput<typeof PushedPageSchema>;

/** More than this many pages that nobody has pulled are of no use: one pull brings them all. */
const MAX_PAGES = 100;

/** The pages that came with pokes and are not applied yet (SYNC-23). */
export class PushedPages {
  #pages: { readonly epoch: string; readonly page: Pushed }[] = [];
  /** Reasons to ask the server so far, and those that an answer of it has covered. */
  #reasons = 0;
  #covered = 0;

  add(epoch: string, page: Pushed): void {
    this.#pages.push({ epoch, page });
    if (this.#pages.length > MAX_PAGES) this.clear();
  }

  /** Something other than new events is to be requested: the next pull asks the server. */
  clear(): void {
    this.#pages = [];
    this.#reasons += 1;
  }

  /** Call it right before the request to the server, and the returned function after the answer. */
  asking(): () => void {
    const reasons = this.#reasons;
    return () => {
      this.#covered = Math.max(this.#covered, reasons);
    };
  }

  /** Pages of pokes that came later don't take the place of an answer of the server. */
  get #mustAsk(): boolean {
    return this.#reasons > this.#covered;
  }

  /** Returns whether `take` would return a page. */
  continues(cursor: number, epoch: string): boolean {
    if (this.#mustAsk) return false;
    const next = this.#pages.find(({ page }) => page.cursor > cursor);
    return next !== undefined && next.epoch === epoch && next.page.after <= cursor;
  }

  /**
   * Returns the page that continues a log at `cursor`, without events that are there already; null if there
   * is none. A gap makes all of them useless.
   */
  take(cursor: number, epoch: string): Pushed | null {
    if (this.#mustAsk) return null;
    for (;;) {
      const next = this.#pages.shift();
      if (next === undefined) return null;
      if (next.page.cursor <= cursor) continue;
      if (next.epoch !== epoch || next.page.after > cursor) {
        this.clear();
        return null;
      }
      const isNew = (one: unknown): boolean => {
        const seq = (one as { readonly seq?: unknown } | null)?.seq;
        return typeof seq !== 'number' || seq > cursor;
      };
      return { ...next.page, events: next.page.events.filter(isNew) };
    }
  }
}

/** Unpacks a page (base64 of raw DEFLATE of JSON); null if it can't be read here. */
export async function unpackPage(packed: string): Promise<unknown> {
  if (typeof DecompressionStream === 'undefined') return null;
  try {
    const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return (await new Response(stream).json()) as unknown;
  } catch {
    return null;
  }
}
