/** Named when something is to be done for a storage gateway: there is an order for it, or it is to be let go. */
export const gatewayTopic = (connectionId: string): string => `gateway:${connectionId}`
