import type { Profile as Told } from '#contract/auth/profile-calls.ts';
import { useMe } from '#src/app/session/session.ts';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { ProfileForm } from './profile-form.tsx';
import { ThemeSection } from './theme-section.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { ownAccountMessages as t } from '../security/messages.en.ts';

/** `/monitoring/profile`: the user's profile and preferences. */
export function Profile() {
  const me = useMe();
  const asked = useQuery('readProfile', { id: me?.id ?? '' }, me !== null && me.acting === null);
  const told: Told | null = asked.value;
  return (
    <OwnPage title={t.profile} asked={[asked]}>
      {() =>
        told !== null && (
          <>
            <ProfileForm profile={told} onSaved={asked.set} />
            <ThemeSection />
          </>
        )
      }
    </OwnPage>
  );
}
