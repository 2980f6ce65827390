import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { useForced } from '#src/app/shell/forced-pages.ts';
import { useMe } from '#src/app/session/session.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { LIMITS } from '#contract/limits.ts';
import { ForcedPage } from './forced-page.tsx';
import { PasswordForm } from './password-form.tsx';
import { getMinimumLength } from './password-labels.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { ownAccountMessages as t } from './messages.en.ts';

/**
 * `/monitoring/reset-password`: the user must replace a password that somebody else chose before
 * doing anything else.
 */
export function ResetPassword() {
  const me = useMe();
  const forced = useForced() === 'password';
  const factors = useQuery('getFactors', { id: me?.id ?? '' }, forced);
  return (
    <ForcedPage title={t.choosePassword} description={t.choosePasswordDetail} until="password">
      {me !== null && forced && (
        <PasswordForm
          me={me}
          min={
            factors.value === null
              ? LIMITS.minPasswordCharsWithFactor
              : getMinimumLength(factors.value)
          }
          current={t.currentPassword}
          failed={ACCOUNT.resetPassword}
          action={t.setPassword}
          onChanged={() => showSuccess(t.passwordChanged)}
        />
      )}
    </ForcedPage>
  );
}
