import { defineMessages } from '#contract/i18n/messages.ts';

/** Texts around every screen. Small, because it is loaded with the first screen. */
export const shellMessages = defineMessages('shell', {
  skipToContent: 'Skip to content',
  menu: 'Menu',
  search: 'Search',
  sidebar: 'Sidebar',
  pinSidebar: 'Pin sidebar',
  minimizeSidebar: 'Minimize sidebar',
  main: 'Main',
  goTo: 'Go to',
  goToPage: 'Go to a page, company, or job',
  goToTip: 'Go to ({keys})',
  goToKeys: 'Ctrl K',
  openProblems: '{count} to check from the last {days} days',
  chat: 'Chat',
  newTab: '{name} (opens in a new tab)',
  otherSystems: 'Other systems',
  theme: 'Theme',
  light: 'Light',
  dark: 'Dark',
  system: 'System',
  switchTheme: 'Theme: {theme}. Switch to {next}',
  apps: 'Apps',
  monitoring: 'Monitoring',
  exit: 'Exit {username}',
  pageNotLoaded: 'Page not loaded',
  notOnDevice: "This page isn't on this device yet",
  notOnDeviceHint: "You're offline. The page opens when you reconnect.",
  noAccess: 'No access',
  noAccessHint:
    "Your role doesn't include this page. Ask an administrator of your provider for access.",
  noAccessSupport:
    "Your role doesn't include this page. Ask an administrator of your provider for access, or write to {email}.",
  privacyPolicy: 'Privacy policy',
  socialMedia: 'Social media',
});
