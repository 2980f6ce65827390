/** The description of each kind in the user log. */
const WORDS: Readonly<Record<string, string>> = {
  'sign-in.done': 'Signed in',
  'sign-in.refused': 'Sign-in refused',
  'sign-in.code-sent': 'Code sent to sign in',
  'session.ended': 'Session ended',
  'reauth.done': 'Confirmed it is them',
  'reauth.refused': 'Confirmation refused',
  'login-as.began': 'Began to work as another user',
  'login-as.ended': 'Stopped working as another user',
  'sso.opened': 'Opened another application',
  'identity.linked': 'Linked an identity',
  'password.set': 'Password set by an administrator',
  'password.changed': 'Password changed',
  'password.reset': 'Password reset',
  'password.link-asked': 'Asked for a password link',
  'recovery.began': 'Began to recover the account',
  'recovery-code.used': 'Used a recovery code',
  'recovery-codes.made': 'Made new recovery codes',
  'account.unlocked': 'Account unlocked',
  'factors.reset': 'Second factors reset by an administrator',
  'factor.added': 'Added a second factor',
  'factor.removed': 'Removed a second factor',
  'phone.asked': 'Phone number asked for',
  'phone.changed': 'Phone number changed',
  'questions.set': 'Security questions chosen',
  'api-key.made': 'API key made',
  'api-key.revoked': 'API key revoked',
  'api-keys.ended': 'API keys ended',
  'profile.changed': 'Profile changed',
  'terms.accepted': 'Accepted the terms of use',
  'user.made': 'User created',
  'user.invited': 'User invited',
  'user.registered': 'Registered by invitation',
  'email.confirmed': 'E-mail address confirmed',
  'user.changed': 'User edited',
  'user.scoped': 'Roles or companies changed',
  'user.deleted': 'User deleted',
  'user.removed': 'User removed for good',
  'account.added': 'Account of another system added',
  'account.removed': 'Account of another system removed',
  'invitation.made': 'Invitation link made',
  'company.made': 'Company created',
  'company.changed': 'Company edited',
  'company.deleted': 'Company deleted',
  'provider.made': 'Provider created',
  'provider.hosts': 'Host names changed',
  'branding.changed': 'Branding edited',
  'branding.picture': 'Picture of the branding changed',
  'settings.changed': 'Provider settings changed',
  'secret.set': 'Secret set',
  'secret.removed': 'Secret removed',
  'notification.published': 'Notice published',
  'notification.ended': 'Notice taken away',
};

/**
 * Returns the description of a kind. A kind without one is described by its name:
 * `device.forgotten` is "Device forgotten".
 */
export function wordsOf(what: string): string {
  const said = WORDS[what] ?? what.replaceAll(/[.-]/g, ' ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}
