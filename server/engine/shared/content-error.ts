import type { EngineError } from '#contract/engine/engine.ts';

/** Thrown by the content of an item that can't be read to its end: the item fails alone (ENG-6). */
export class ContentError extends Error {
  override readonly name = 'ContentError';
  readonly error: EngineError;
  constructor(error: EngineError) {
    super(error.message);
    this.error = error;
  }
}
