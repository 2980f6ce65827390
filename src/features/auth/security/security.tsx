import { Link } from '@tanstack/react-router';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { Authenticator } from './authenticator.tsx';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { Passkeys } from './passkeys.tsx';
import { RecoveryCodesLeft } from './recovery-codes-left.tsx';
import { Sessions } from './sessions.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { ownAccountMessages as t } from './messages.en.ts';

/** `/monitoring/security`: second factors and active sessions of the user. */
export function Security() {
  const me = useMe();
  const branding = useBranding();
  const id = me?.id ?? '';
  const own = me !== null && me.impersonator === null;
  const factors = useQuery('getFactors', { id }, own);
  const sessions = useQuery('listSessions', { id }, own);
  const changed = (): void => {
    factors.again();
    sessions.again();
  };
  return (
    <OwnPage title={t.security} queries={[factors, sessions]}>
      {() =>
        factors.value !== null &&
        sessions.value !== null && (
          <>
            <Authenticator id={id} factors={factors.value} onChanged={changed} />
            <Passkeys id={id} factors={factors.value} onChanged={changed} />
            <RecoveryCodesLeft id={id} factors={factors.value} onChanged={changed} />
            {branding?.securityQuestions === true && (
              <FormSection wide title={t.securityQuestions} description={t.questionsDetail}>
                <p className="m-0">
                  <Link
                    to="/monitoring/security-questions"
                    className="inline-flex items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
                  >
                    {t.setUpQuestions}
                  </Link>
                </p>
              </FormSection>
            )}
            <Sessions id={id} sessions={sessions.value} onChanged={sessions.again} />
          </>
        )
      }
    </OwnPage>
  );
}
