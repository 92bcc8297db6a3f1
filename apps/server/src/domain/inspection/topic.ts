/** Named after a commit that left files to inspect, or a list to freeze. */
export const inspectionTopic = 'inspections'
