/** The entry of the allow-list that stands for the hosts which are allowed while the list is empty. */
export const DEFAULT_HOSTS = 'ship:defaults';
