/** What help texts say of flags that many commands take. */

export const configFlag = '--config F       another config file than your own';
export const jsonFlag = '--json           print JSON';
