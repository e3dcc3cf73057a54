/** Values as the end of the sentence "must be …": `PSTN, WHATSAPP or empty`. */
export const alternatives = (values: readonly unknown[]): string => {
  const words = values.map((value) => (value === '' ? 'empty' : String(value)))
  const last = words.pop()
  return words.length === 0 ? `${last}` : `${words.join(', ')} or ${last}`
}
