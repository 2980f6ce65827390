import * as v from 'valibot';
import type { PreferenceName } from '#contract/auth/preferences.ts';
import { preferenceId, ThemeSchema } from '#contract/auth/preferences.ts';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ok } from '#contract/result.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import { runIdempotently, refusal } from '../../platform/http/idempotent-command.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { parseStorable } from '#contract/stored-text.ts';

/** DESK-5: users set only their own preferences. */
export function preferenceHandlers(context: AppContext): Pick<Handlers, 'prefer'> {
  return {
    prefer: ({ id, name, value }, ctx) =>
      runIdempotently<OutputOf<'prefer'>>(context, ctx, async () => {
        const { userId } = ctx.session;
        if (id.toLowerCase() !== userId)
          return refusal({ kind: 'forbidden', message: MESSAGES.preferenceNotOwned });
        if (!readable(name, value)) {
          return refusal({
            kind: 'bad-input',
            message: MESSAGES.badInput,
            issues: [{ path: 'value', message: MESSAGES.preferenceUnreadable }],
          });
        }
        const event = {
          type: 'user.preferenceSaved@1',
          data: { id: userId, name, value },
        } as const;
        return {
          drafts: [{ event, company: null, entity: `preference:${preferenceId(userId, name)}` }],
          answer: (seq) => ok({ seq }),
        };
      }),
  };
}

/** Accepts any JSON value; the theme must match the specification. */
function readable(name: PreferenceName, value: string): boolean {
  try {
    const parsed: unknown = parseStorable(value);
    return name !== 'theme' || v.is(ThemeSchema, parsed);
  } catch {
    return false;
  }
}
