import { RUN_STATES } from '#contract/runs/query.ts';
import { RANK } from '#workers/columns/kinds.ts';
import type { Segment } from '#workers/columns/segment.ts';
import type { ColumnStore } from '#workers/types.ts';

/**
 * Which jobs have run; a missed run doesn't count. One bit per job, cached per segment until one of
 * its runs changes.
 */
export class Ran {
  readonly #pieces = new WeakMap<Segment, { readonly edits: number; readonly bits: Uint32Array }>();

  /** One bit per job: bit `n & 31` of word `n >>> 5`. */
  of(engine: Pick<ColumnStore, 'walk' | 'maxJob'>): Uint32Array {
    const all = new Uint32Array((engine.maxJob >>> 5) + 1);
    engine.walk(0, Infinity, (piece) => {
      let known = this.#pieces.get(piece);
      if (known?.edits !== piece.edits) {
        known = { edits: piece.edits, bits: new Uint32Array((engine.maxJob >>> 5) + 1) };
        noteRan(piece.cols.job, piece.cols.kind, known.bits);
        this.#pieces.set(piece, known);
      }
      for (let i = 0; i < known.bits.length; i++) all[i] = (all[i] ?? 0) | (known.bits[i] ?? 0);
    });
    return all;
  }
}

function noteRan(job: Uint32Array, kind: Uint16Array, bits: Uint32Array): void {
  for (let row = 0; row < job.length; row++) {
    const one = job[row] ?? 0;
    const word = one >>> 5;
    bits[word] = (bits[word] ?? 0) | ((RANK[kind[row] ?? 0] === MISSED ? 0 : 1) << (one & 31));
  }
}
const MISSED = RUN_STATES.indexOf('Missed');
