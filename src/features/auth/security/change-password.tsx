import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { useMe } from '#src/app/session/session.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { PasswordForm } from './password-form.tsx';
import { getMinimumLength } from './password-labels.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { ownAccountMessages as t } from './messages.en.ts';

/**
 * `/monitoring/change-password`: changes the password in the directory or the database, whichever
 * stores the user.
 */
export function ChangePassword() {
  const me = useMe();
  const factors = useQuery(
    'getFactors',
    { id: me?.id ?? '' },
    me !== null && me.impersonator === null,
  );
  return (
    <OwnPage title={t.changePassword} queries={[factors]}>
      {() =>
        me !== null &&
        factors.value !== null && (
          <FormSection
            title={t.passwordSection}
            description={me.auth === 'ad' ? t.directoryPasswordDetail : t.portalPasswordDetail}
          >
            <PasswordForm
              me={me}
              min={getMinimumLength(factors.value)}
              current={t.currentPassword}
              failed={ACCOUNT.changePassword}
              action={t.changePassword}
              onChanged={() => showSuccess(t.passwordChangedSignedOut)}
            />
          </FormSection>
        )
      }
    </OwnPage>
  );
}
