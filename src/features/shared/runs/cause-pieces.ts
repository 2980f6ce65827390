/** A part of a message. `fixed` words belong to the template and are muted. */
export interface Piece {
  readonly text: string;
  readonly fixed: boolean;
}

/**
 * Aligns a message with its template, in which ‹marks› stand for variable parts. From the first
 * mismatch on, everything counts as variable, so that no part of the message is lost.
 */
export function splitCause(message: string, template: string | null): readonly Piece[] {
  if (template === null) return message === '' ? [] : [{ text: message, fixed: false }];
  const pieces: Piece[] = [];
  const put = (text: string, fixed: boolean): void => {
    if (text === '') return;
    const before = pieces.at(-1);
    if (before?.fixed === fixed) pieces[pieces.length - 1] = { text: before.text + text, fixed };
    else pieces.push({ text, fixed });
  };
  const folded = message.toLowerCase();
  let at = 0;
  for (const [i, words] of template.split(/‹[^›]*›/).entries()) {
    if (words === '') continue;
    const found = folded.indexOf(words.toLowerCase(), at);
    const lead = message.slice(at, found);
    if (found < 0 || (i === 0 && found > 0 && !LEVEL.test(lead))) break;
    put(lead, i === 0);
    put(message.slice(found, found + words.length), true);
    at = found + words.length;
  }
  put(message.slice(at), false);
  return pieces;
}

/** Matches a leading word like "Error:". Templates omit it, because the state already shows it. */
const LEVEL = /^\W?[a-z]+\W{1,3}$/i;
