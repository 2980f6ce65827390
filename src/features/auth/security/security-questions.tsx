import { useEffect } from 'react';
import { openedFor, setOpenedFor, useForced } from '#src/app/shell/forced-pages.ts';
import { useMe } from '#src/app/session/session.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { ForcedPage } from './forced-page.tsx';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { QuestionsForm } from './questions-form.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { ownAccountMessages as t } from './messages.en.ts';

const saved = (): void => showSuccess(t.securityQuestionsSaved);

/** `/monitoring/security-questions`: voluntary, or required first if the provider demands it. */
export function SecurityQuestions() {
  const forced = useForced() === 'questions';
  useEffect(() => {
    if (forced) setOpenedFor('questions');
  }, [forced]);
  return forced || openedFor() === 'questions' ? <Forced /> : <Chosen />;
}

function Forced() {
  const me = useMe();
  return (
    <ForcedPage title={t.securityQuestions} description={t.questionsRequired} until="questions">
      {me !== null && <QuestionsForm id={me.id} before={[]} onSaved={saved} />}
    </ForcedPage>
  );
}

function Chosen() {
  const me = useMe();
  const profile = useQuery(
    'readProfile',
    { id: me?.id ?? '' },
    me !== null && me.impersonator === null,
  );
  return (
    <OwnPage title={t.securityQuestions} queries={[profile]}>
      {() =>
        profile.value !== null && (
          <FormSection
            title={t.threeQuestions}
            description={
              profile.value.securityQuestions.length > 0 ? t.questionsSet : t.questionsDetail
            }
          >
            <QuestionsForm
              id={profile.value.id}
              before={profile.value.securityQuestions}
              onSaved={saved}
            />
          </FormSection>
        )
      }
    </OwnPage>
  );
}
