/** The position that a delivery's id stands for; `-1`, which none has, for what is no id of ours. */
export const deliveryPosition = (id: string): string => /^dlv_(\d{1,18})$/.exec(id)?.[1] ?? '-1'
