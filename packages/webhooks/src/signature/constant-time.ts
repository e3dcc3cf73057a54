/** Compares a text with a secret one in a time that depends on the length of what was received only. */
export const equalsInConstantTime = (secret: string, received: string): boolean => {
  let difference = secret.length ^ received.length
  for (let index = 0; index < received.length; index += 1) {
    difference |= received.charCodeAt(index) ^ secret.charCodeAt(index % secret.length)
  }
  return difference === 0
}
