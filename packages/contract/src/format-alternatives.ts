/** Formats values for the sentence "must be …": `PSTN, WHATSAPP or empty`. */
export const formatAlternatives = (values: readonly unknown[]): string => {
  const words = values.map((value) => (value === '' ? 'empty' : String(value)))
  const last = words.pop()
  return words.length === 0 ? `${last}` : `${words.join(', ')} or ${last}`
}
