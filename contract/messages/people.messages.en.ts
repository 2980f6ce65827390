import { defineMessages } from '../i18n/messages.ts';

/** Users, companies, providers. */
export const PEOPLE = defineMessages('peopleFailures', {
  createUser: 'Error while creating the user. Try again later.',
  editUser: 'Error while editing the user. Try again later.',
  deleteUser: 'Error while deleting the user. Try again later.',
  getUsers: 'Error while trying to get the users, try again later.',
  getUserLogs: 'Error while trying to get the user logs, try again later.',
  addCompany: 'Error while adding the company. Try again later.',
  editCompany: 'Error while editing the company. Try again later.',
  deleteCompany: 'Error while deleting the company. Try again later.',
  getCompany: 'Error while getting the company. Try again later.',
  getCompanies: 'Error while trying to get the companies, try again later.',
  getUsersToNotify: 'Error while getting the users to notify. Try again later.',
  getServiceProviders: 'Error while trying to get the service providers, try again later.',
  lastAdministrator: 'This is the last administrator. Add another one first.',
  notYourself: "You can't do this to your own account.",
  companyNameTaken: 'A company with this name already exists.',
  hostTaken: 'This host name belongs to another provider.',
});
