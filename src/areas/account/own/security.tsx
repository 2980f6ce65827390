import { useMe } from '#src/session.ts';
import { Authenticator } from './authenticator.tsx';
import { OwnPage } from './own-page.tsx';
import { Passkeys } from './passkeys.tsx';
import { RecoveryCodesLeft } from './recovery-codes-left.tsx';
import { Sessions } from './sessions.tsx';
import { useAsked } from './use-asked.ts';

/** `/monitoring/security`: what opens the account besides the password, and where it is open. */
export function Security() {
  const me = useMe();
  const id = me?.id ?? '', own = me !== null && me.acting === null;
  const factors = useAsked('getFactors', { id }, own);
  const sessions = useAsked('listSessions', { id }, own);
  const changed = (): void => { factors.again(); sessions.again(); };
  return (
    <OwnPage title="Security" asked={[factors, sessions]}>
      {() => factors.value !== null && sessions.value !== null && (
        <>
          <Authenticator id={id} factors={factors.value} onChanged={changed} />
          <Passkeys id={id} factors={factors.value} onChanged={changed} />
          <RecoveryCodesLeft id={id} factors={factors.value} onChanged={changed} />
          <Sessions id={id} sessions={sessions.value} onChanged={sessions.again} />
        </>
      )}
    </OwnPage>
  );
}
