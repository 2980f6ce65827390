import type * as v from 'valibot';
import { requestMessages as t } from './request.messages.en.ts';

/** Longer lists of words are cut. */
const MAX_CHARS = 200;

/**
 * What a field should have been: the words of its schema, or such as "at least 1". Never the sent value,
 * which could be a secret, and never a pattern. Null: there are no words for it.
 */
export function getExpectedWords(issue: v.BaseIssue<unknown>): string | null {
  const own = getOwnMessage(issue);
  if (own !== null) return own;
  const { type, requirement, input, expected } = issue;
  const limit = typeof requirement === 'number' ? requirement : null;
  const isList = Array.isArray(input);
  switch (type) {
    case 'min_value':
      return limit === null ? null : t.atLeast({ limit });
    case 'max_value':
      return limit === null ? null : t.atMost({ limit });
    case 'min_length':
      return limit === null ? null : (isList ? t.atLeastEntries : t.atLeastCharacters)({ limit });
    case 'max_length':
      return limit === null ? null : (isList ? t.atMostEntries : t.atMostCharacters)({ limit });
    case 'length':
      return limit === null ? null : (isList ? t.exactEntries : t.exactCharacters)({ limit });
    case 'integer':
    case 'safe_integer':
      return t.integer;
    case 'uuid':
      return t.anUuid;
    case 'url':
      return t.anAddress;
    case 'regex':
      return null;
    default:
      return expected?.slice(0, MAX_CHARS) ?? null;
  }
}

/** The message of a schema itself. valibot's own ones end with what was received. */
const getOwnMessage = ({ message }: v.BaseIssue<unknown>): string | null =>
  /^Invalid [^:]*: (?:Expected .*)?[Rr]eceived /s.test(message) ? null : message;
