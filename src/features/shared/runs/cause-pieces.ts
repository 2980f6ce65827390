/** A part of a cause: `fixed` words belong to the template and recede, the others stand. */
export interface Piece {
  readonly text: string;
  readonly fixed: boolean;
}

/**
 * A message laid over its template, whose ‹marks› stand where messages vary. Where the two do not
 * fit, from there on everything counts as variable: nothing of the message is ever left out.
 */
export function piecesOf(message: string, template: string | null): readonly Piece[] {
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

/** A word like "Error:" that a template leaves away says nothing that the state does not. */
const LEVEL = /^\W?[a-z]+\W{1,3}$/i;
