import { defineMessages } from '#contract/i18n/messages.ts';

/** Texts of pages that show instead of a screen. Small, because it is part of the first load. */
export const startMessages = defineMessages('start', {
  portal: 'Portal',
  loading: 'Loading',
  notFound: 'Not found',
  pageTitle: '{page} - {portal}',
  goToStart: 'Go to start page',
  pageFailed: "This page couldn't be shown",
  changesSaved: 'Your changes are saved on this device.',
  tryAgain: 'Try again',
  reload: 'Reload',
  couldNotStart: "This page couldn't start",
  noWorker:
    'The service that stores and sends your data failed to start. Your changes are saved on this device.',
  noWorkerHint: 'Reload the page. If that fails, update your browser and allow web workers.',
  workerNotLoaded: "The web worker couldn't be loaded.",
});
