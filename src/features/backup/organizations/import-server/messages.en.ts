import { defineMessages } from '#contract/i18n/messages.ts';

export const importServerMessages = defineMessages('import-server', {
  open: 'Import from a Veeam server',
  title: 'Import from a Veeam server',
  hint: 'Organizations of a Veeam Backup for Microsoft 365 server appear here with their jobs, sessions and repositories. The server goes on making the backups.',
  address: 'URL',
  addressExample: 'https://vb365.example.com:4443',
  usernameHint: 'An account of the server without multi-factor authentication.',
  passwordHint: 'Stored encrypted, and sent to this server only.',
  connect: 'Show organizations',
  addressMissing: 'Enter the URL of the server.',
  addressInvalid: 'Enter a URL such as https://vb365.example.com:4443.',
  usernameMissing: 'Enter the username.',
  passwordMissing: 'Enter the password.',
  found: 'Organizations on {host}',
  none: 'This server has no organization that can be imported.',
  chosenCompany: 'Belongs to the company chosen below',
  company: 'Company of the organizations that no company is linked with',
  chooseCompany: 'Choose a company',
  companyMissing: 'Choose a company.',
  import: '{count, plural, one {Import # organization} other {Import # organizations}}',
  saveSignIn: 'Save sign-in',
  signInSaved: 'The organizations of the server are read with this sign-in from now on.',
  allImported: 'All of them are imported. You can save this sign-in for them.',
  imported:
    '{count, plural, =0 {Nothing was imported.} one {# organization imported.} other {# organizations imported.}}',
});
