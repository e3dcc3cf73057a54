/** Returns the pattern of LIKE for texts that contain this one. Its escape character is the backslash. */
export const toLikePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
