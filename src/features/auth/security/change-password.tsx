import { ACCOUNT } from '#contract/messages/account.ts';
import { useMe } from '#src/app/session/session.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { tell } from '#src/ui/toasts.ts';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { PasswordForm } from './password-form.tsx';
import { leastOf } from './password-labels.ts';
import { useQuery } from '../../shared/queries/use-query.ts';

/** `/monitoring/change-password`: of the directory or of the database, whichever knows the user. */
export function ChangePassword() {
  const me = useMe();
  const factors = useQuery('getFactors', { id: me?.id ?? '' }, me !== null && me.acting === null);
  return (
    <OwnPage title="Change password" asked={[factors]}>
      {() =>
        me !== null &&
        factors.value !== null && (
          <FormSection
            title="A new password"
            says={
              me.auth === 'ad'
                ? 'It changes in the directory, for everything that you use it for.'
                : 'For this portal only.'
            }
          >
            <PasswordForm
              me={me}
              least={leastOf(factors.value)}
              current="Current password"
              failed={ACCOUNT.changePassword}
              action="Change the password"
              onChanged={() => tell('Password changed. Your other sessions have ended.')}
            />
          </FormSection>
        )
      }
    </OwnPage>
  );
}
