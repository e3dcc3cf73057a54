/** Receives what the handlers of the shop report. The page that embeds the service shows it. */
export const listeners = new Set<(text: string) => void>()

export const log = (text: string): void => {
  for (const listener of listeners) listener(text)
}
