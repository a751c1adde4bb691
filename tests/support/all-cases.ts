/** `npm run test:long`: every case; else, where cases say the same of one thing after the other, one of each kind. */
export const allCases = process.env['TOOLTRAY_LONG'] === 'yes';
