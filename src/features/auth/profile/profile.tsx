import type { Profile as StoredProfile } from '#contract/auth/profile-calls.ts';
import { useMe } from '#src/app/session/session.ts';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { ProfileForm } from './profile-form.tsx';
import { ThemeSection } from './theme-section.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { ownAccountMessages as t } from '../security/messages.en.ts';

/** `/monitoring/profile`: the user's profile and preferences. */
export function ProfileScreen() {
  const me = useMe();
  const request = useQuery(
    'readProfile',
    { id: me?.id ?? '' },
    me !== null && me.impersonator === null,
  );
  const details: StoredProfile | null = request.value;
  return (
    <OwnPage title={t.profile} queries={[request]}>
      {() =>
        details !== null && (
          <>
            <ProfileForm profile={details} onSaved={request.set} />
            <ThemeSection />
          </>
        )
      }
    </OwnPage>
  );
}
