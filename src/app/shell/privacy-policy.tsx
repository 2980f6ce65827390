import type { Branding } from '#contract/branding/branding.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** Lists which personal data the portal stores and with whom it is shared. */
export function PrivacyPolicy({
  branding,
  onClose,
}: {
  readonly branding: Branding;
  readonly onClose: () => void;
}) {
  const { name, supportEmail, supportPhone } = branding;
  return (
    <Dialog
      title="Privacy policy"
      wide
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-4 px-5 py-4">
        <p className="m-0">
          {name} runs this portal. This is what it keeps about you, for what, and what you can do
          about it.
        </p>
        {PARTS.map(({ title, says }) => (
          <section key={title} className="grid gap-1">
            <h3 className="m-0 font-semibold text-body">{title}</h3>
            <p className="m-0 text-ink-2">{says}</p>
          </section>
        ))}
        <section className="grid gap-1">
          <h3 className="m-0 font-semibold text-body">Whom to ask</h3>
          <p className="m-0 break-words text-ink-2">
            {supportEmail === null && supportPhone === null
              ? 'The administrator who gave you your account.'
              : 'Write to '}
            {supportEmail !== null && (
              <a
                className="text-accent underline underline-offset-2"
                href={`mailto:${supportEmail}`}
              >
                {supportEmail}
              </a>
            )}
            {supportEmail === null && supportPhone !== null && 'us'}
            {supportPhone !== null && (
              <>
                , or call{' '}
                <a
                  className="text-accent underline underline-offset-2"
                  href={`tel:${supportPhone.replaceAll(/[^\d+]/g, '')}`}
                >
                  {supportPhone}
                </a>
              </>
            )}
            {(supportEmail !== null || supportPhone !== null) && '.'}
          </p>
        </section>
      </div>
    </Dialog>
  );
}

const PARTS = [
  {
    title: 'Cookies',
    says: 'The portal sets a cookie that keeps you signed in, one for each attempt to sign in, and one by which it knows your device again. They go to this portal only. There are none for advertising, and nobody else sets one here. Without them you cannot sign in.',
  },
  {
    title: 'What this device keeps',
    says: 'So that it works without a network, your browser keeps the results that you may see, encrypted. Logging out deletes them.',
  },
  {
    title: 'Web logs',
    says: 'The server writes down when it was asked for what, from which address and with which result, and who did what to accounts and results. This is used to find faults and misuse, and as the record of the work; it holds no passwords and no codes.',
  },
  {
    title: 'E-mail vendors',
    says: 'Codes, notices and reports are sent to the address and number of your account by the mail and SMS services that your provider has chosen. They are told where to send what, and nothing else about you.',
  },
  {
    title: 'Children under 13',
    says: 'The portal is for people at work. It is not meant for children under 13, and nothing is knowingly kept about them; what was given by mistake is deleted as soon as it is known.',
  },
  {
    title: 'Disclosures',
    says: 'What is kept about you is not sold or lent. It is passed on only where the law demands it, where it is needed to protect the portal or those who use it, or to whom your provider has work done on the portal, under the same duties.',
  },
  {
    title: 'Opt-out',
    says: 'Which mails you get is chosen in your profile; mails about your own account can be limited there too. You can ask to see what is kept about you, to have it put right, and to have your account removed.',
  },
] as const;
