/** Returns the LIKE pattern for strings that contain this one. The escape character is the backslash. */
export const toLikePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
