/** What is selected in a timeline: a delivery, and one attempt unless it is the last. */
export type TimelineSelection = { readonly deliveryId: string; readonly attempt: number | undefined }
