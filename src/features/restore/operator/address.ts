const CONSOLE_PATH = '/restore';

export const CONSOLE_SERVICES = ['outlook', 'onedrive', 'sharepoint', 'teams'] as const;
export type ConsoleService = (typeof CONSOLE_SERVICES)[number];

export const getServicePath = (service: ConsoleService): string => `${CONSOLE_PATH}/${service}`;
