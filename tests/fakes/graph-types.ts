// The entity types of Microsoft Graph v1.0 that the demo tenant returns, carried over from Graph's
// published metadata (github.com/microsoftgraph/msgraph-metadata, clean_v10_metadata): written apart
// from the stand-in, property by property with its type. `!` is not nullable, `[]` a collection, `*` an
// open type: it has any properties. Elsewhere a property that isn't here fails, as does a value of
// another type.

export const TYPES = `
aadUserConversationMember < conversationMember
  email:String tenantId:String userId:String
application < directoryObject
  addIns:[addIn]! api:apiApplication appId:String applicationTemplateId:String
  appRoles:[appRole]! authenticationBehaviors:authenticationBehaviors
  certification:certification createdByAppId:String createdDateTime:DateTimeOffset
  defaultRedirectUri:String description:String disabledByMicrosoftStatus:String
  displayName:String groupMembershipClaims:String identifierUris:[String]! info:informationalUrl
  isDeviceOnlyAuthSupported:Boolean isDisabled:Boolean isFallbackPublicClient:Boolean
  keyCredentials:[keyCredential]! logo:Stream! managerApplications:[Guid]!
  nativeAuthenticationApisEnabled:nativeAuthenticationApisEnabled notes:String
  oauth2RequirePostResponse:Boolean! optionalClaims:optionalClaims
  parentalControlSettings:parentalControlSettings passwordCredentials:[passwordCredential]!
  publicClient:publicClientApplication publisherDomain:String
  requestSignatureVerification:requestSignatureVerification
  requiredResourceAccess:[requiredResourceAccess]! samlMetadataUrl:String
  serviceManagementReference:String
  servicePrincipalLockConfiguration:servicePrincipalLockConfiguration signInAudience:String
  spa:spaApplication tags:[String]! tokenEncryptionKeyId:Guid uniqueName:String
  verifiedPublisher:verifiedPublisher web:webApplication
appRole
  allowedMemberTypes:[String]! description:String displayName:String id:Guid! isEnabled:Boolean!
  origin:String value:String
appRoleAssignment < directoryObject
  appRoleId:Guid! createdDateTime:DateTimeOffset principalDisplayName:String principalId:Guid
  principalType:String resourceDisplayName:String resourceId:Guid
assignedLicense
  disabledPlans:[Guid]! skuId:Guid
assignedPlan
  assignedDateTime:DateTimeOffset capabilityStatus:String service:String servicePlanId:Guid
attachment < entity
  contentType:String isInline:Boolean! lastModifiedDateTime:DateTimeOffset name:String
  size:Int32!
attendee < attendeeBase
  proposedNewTime:timeSlot status:responseStatus
attendeeBase < recipient
  type:attendeeType
baseItem < entity
  createdBy:identitySet createdDateTime:DateTimeOffset! description:String eTag:String
  lastModifiedBy:identitySet lastModifiedDateTime:DateTimeOffset! name:String
  parentReference:itemReference webUrl:String
baseItemVersion < entity
  lastModifiedBy:identitySet lastModifiedDateTime:DateTimeOffset publication:publicationFacet
booleanColumn
calendar < entity
  allowedOnlineMeetingProviders:[onlineMeetingProviderType] canEdit:Boolean canShare:Boolean
  canViewPrivateItems:Boolean changeKey:String color:calendarColor
  defaultOnlineMeetingProvider:onlineMeetingProviderType hexColor:String isDefaultCalendar:Boolean
  isRemovable:Boolean isTallyingResponses:Boolean name:String owner:emailAddress
calendarGroup < entity
  changeKey:String classId:Guid name:String
channel < entity
  createdDateTime:DateTimeOffset description:String displayName:String! email:String
  isArchived:Boolean isFavoriteByDefault:Boolean layoutType:channelLayoutType
  membershipType:channelMembershipType migrationMode:migrationMode
  originalCreatedDateTime:DateTimeOffset summary:channelSummary tenantId:String webUrl:String
channelIdentity
  channelId:String teamId:String
chatMessage < entity
  attachments:[chatMessageAttachment] body:itemBody! channelIdentity:channelIdentity chatId:String
  createdDateTime:DateTimeOffset deletedDateTime:DateTimeOffset etag:String
  eventDetail:eventMessageDetail from:chatMessageFromIdentitySet
  importance:chatMessageImportance! lastEditedDateTime:DateTimeOffset
  lastModifiedDateTime:DateTimeOffset locale:String! mentions:[chatMessageMention]
  messageHistory:[chatMessageHistoryItem] messageType:chatMessageType!
  policyViolation:chatMessagePolicyViolation reactions:[chatMessageReaction] replyToId:String
  subject:String summary:String webUrl:String replies:[chatMessage]
chatMessageAttachment
  content:String contentType:String contentUrl:String id:String name:String teamsAppId:String
  thumbnailUrl:String
chatMessageFromIdentitySet < identitySet
chatMessageMention
  id:Int32 mentioned:chatMessageMentionedIdentitySet mentionText:String
chatMessageMentionedIdentitySet < identitySet
  conversation:teamworkConversationIdentity
checklistItem < entity
  checkedDateTime:DateTimeOffset createdDateTime:DateTimeOffset displayName:String
  isChecked:Boolean
choiceColumn
  allowTextEntry:Boolean choices:[String] displayAs:String
columnDefinition < entity
  boolean:booleanColumn calculated:calculatedColumn choice:choiceColumn columnGroup:String
  contentApprovalStatus:contentApprovalStatusColumn currency:currencyColumn
  dateTime:dateTimeColumn defaultValue:defaultColumnValue description:String displayName:String
  enforceUniqueValues:Boolean geolocation:geolocationColumn hidden:Boolean
  hyperlinkOrPicture:hyperlinkOrPictureColumn indexed:Boolean isDeletable:Boolean
  isReorderable:Boolean isSealed:Boolean lookup:lookupColumn name:String number:numberColumn
  personOrGroup:personOrGroupColumn propagateChanges:Boolean readOnly:Boolean required:Boolean
  sourceContentType:contentTypeInfo term:termColumn text:textColumn thumbnail:thumbnailColumn
  type:columnTypes validation:columnValidation
contact < outlookItem
  assistantName:String birthday:DateTimeOffset businessAddress:physicalAddress
  businessHomePage:String businessPhones:[String] children:[String] companyName:String
  department:String displayName:String emailAddresses:[emailAddress] fileAs:String
  generation:String givenName:String homeAddress:physicalAddress homePhones:[String]
  imAddresses:[String] initials:String jobTitle:String manager:String middleName:String
  mobilePhone:String nickName:String officeLocation:String otherAddress:physicalAddress
  parentFolderId:String personalNotes:String profession:String spouseName:String surname:String
  title:String yomiCompanyName:String yomiGivenName:String yomiSurname:String
contactFolder < entity
  displayName:String parentFolderId:String
contentTypeInfo
  id:String name:String
conversationMember < entity
  displayName:String roles:[String] visibleHistoryStartDateTime:DateTimeOffset
currencyColumn
  locale:String
dateTimeColumn
  displayAs:String format:String
dateTimeTimeZone
  dateTime:String! timeZone:String
deleted
  state:String
directoryObject < entity
  deletedDateTime:DateTimeOffset
drive < baseItem
  driveType:String owner:identitySet quota:quota sharePointIds:sharepointIds system:systemFacet
driveItem < baseItem
  audio:audio bundle:bundle content:Stream cTag:String deleted:deleted file:file
  fileSystemInfo:fileSystemInfo folder:folder image:image location:geoCoordinates
  malware:malware package:package pendingOperations:pendingOperations photo:photo
  publication:publicationFacet remoteItem:remoteItem root:root searchResult:searchResult
  shared:shared sharepointIds:sharepointIds size:Int64 specialFolder:specialFolder video:video
  webDavUrl:String
driveItemVersion < baseItemVersion
  content:Stream size:Int64
emailAddress
  address:String name:String
entity
  id:String!
event < outlookItem
  allowNewTimeProposals:Boolean attendees:[attendee] body:itemBody bodyPreview:String
  cancelledOccurrences:[String] end:dateTimeTimeZone hasAttachments:Boolean hideAttendees:Boolean
  iCalUId:String importance:importance isAllDay:Boolean isCancelled:Boolean isDraft:Boolean
  isOnlineMeeting:Boolean isOrganizer:Boolean isReminderOn:Boolean location:location
  locations:[location] onlineMeeting:onlineMeetingInfo
  onlineMeetingProvider:onlineMeetingProviderType onlineMeetingUrl:String organizer:recipient
  originalEndTimeZone:String originalStart:DateTimeOffset originalStartTimeZone:String
  recurrence:patternedRecurrence reminderMinutesBeforeStart:Int32 responseRequested:Boolean
  responseStatus:responseStatus sensitivity:sensitivity seriesMasterId:String
  showAs:freeBusyStatus start:dateTimeTimeZone subject:String transactionId:String type:eventType
  webLink:String attachments:[attachment] exceptionOccurrences:[event]
exchangeSettings < entity
  primaryMailboxId:String
exportItemResponse
  changeKey:String data:Stream error:mailTipsError itemId:String
fieldValueSet < entity *
file
  hashes:hashes mimeType:String processingMetadata:Boolean
fileAttachment < attachment
  contentBytes:Binary contentId:String contentLocation:String
fileSystemInfo
  createdDateTime:DateTimeOffset lastAccessedDateTime:DateTimeOffset
  lastModifiedDateTime:DateTimeOffset
folder
  childCount:Int32 view:folderView
followupFlag
  completedDateTime:dateTimeTimeZone dueDateTime:dateTimeTimeZone flagStatus:followupFlagStatus
  startDateTime:dateTimeTimeZone
group < directoryObject
  accessType:groupAccessType allowExternalSenders:Boolean assignedLabels:[assignedLabel]
  assignedLicenses:[assignedLicense] autoSubscribeNewMembers:Boolean classification:String
  createdDateTime:DateTimeOffset description:String displayName:String
  expirationDateTime:DateTimeOffset groupTypes:[String]! hasMembersWithLicenseErrors:Boolean
  hideFromAddressLists:Boolean hideFromOutlookClients:Boolean infoCatalogs:[String]!
  isArchived:Boolean isAssignableToRole:Boolean isFavorite:Boolean
  isManagementRestricted:Boolean isSubscribedByMail:Boolean
  licenseProcessingState:licenseProcessingState mail:String mailEnabled:Boolean
  mailNickname:String membershipRule:String membershipRuleProcessingState:String
  onPremisesDomainName:String onPremisesExtensionAttributes:onPremisesExtensionAttributes
  onPremisesLastSyncDateTime:DateTimeOffset onPremisesNetBiosName:String
  onPremisesProvisioningErrors:[onPremisesProvisioningError] onPremisesSamAccountName:String
  onPremisesSecurityIdentifier:String onPremisesSyncEnabled:Boolean organizationId:String
  preferredDataLocation:String preferredLanguage:String proxyAddresses:[String]!
  renewedDateTime:DateTimeOffset resourceBehaviorOptions:[String]!
  resourceProvisioningOptions:[String]! securityEnabled:Boolean securityIdentifier:String
  serviceProvisioningErrors:[serviceProvisioningError] theme:String uniqueName:String
  unseenConversationsCount:Int32 unseenCount:Int32 unseenMessagesCount:Int32 visibility:String
  welcomeMessageEnabled:Boolean
hashes
  crc32Hash:String quickXorHash:String sha1Hash:String sha256Hash:String
identity
  displayName:String id:String
identitySet
  application:identity device:identity user:identity
internetMessageHeader
  name:String value:String
itemBody
  content:String contentType:bodyType
itemReference
  driveId:String driveType:String id:String name:String path:String shareId:String
  sharepointIds:sharepointIds siteId:String
keyCredential
  customKeyIdentifier:Binary displayName:String endDateTime:DateTimeOffset key:Binary keyId:Guid
  startDateTime:DateTimeOffset type:String usage:String
licenseUnitsDetail
  enabled:Int32 lockedOut:Int32 suspended:Int32 warning:Int32
linkedResource < entity
  applicationName:String displayName:String externalId:String webUrl:String
list < baseItem
  displayName:String list:listInfo sharepointIds:sharepointIds system:systemFacet
listInfo
  contentTypesEnabled:Boolean hidden:Boolean template:String
listItem < baseItem
  contentType:contentTypeInfo deleted:deleted fields:fieldValueSet sharepointIds:sharepointIds
listItemVersion < baseItemVersion
  fields:fieldValueSet
location
  address:physicalAddress coordinates:outlookGeoCoordinates displayName:String
  locationEmailAddress:String locationType:locationType locationUri:String uniqueId:String
  uniqueIdType:locationUniqueIdType
mailboxFolder < entity
  childFolderCount:Int32 displayName:String parentFolderId:String totalItemCount:Int32
  type:String
mailboxItem < outlookItem
  size:Int64 type:String
mailboxItemImportSession
  expirationDateTime:DateTimeOffset importUrl:String
mailboxSettings
  archiveFolder:String automaticRepliesSetting:automaticRepliesSetting dateFormat:String
  delegateMeetingMessageDeliveryOptions:delegateMeetingMessageDeliveryOptions
  language:localeInfo timeFormat:String timeZone:String userPurpose:userPurpose
  workingHours:workingHours
mailFolder < entity
  childFolderCount:Int32 displayName:String isHidden:Boolean parentFolderId:String
  totalItemCount:Int32 unreadItemCount:Int32
mailTipsError
  code:String message:String
message < outlookItem
  bccRecipients:[recipient] body:itemBody bodyPreview:String ccRecipients:[recipient]
  conversationId:String conversationIndex:Binary flag:followupFlag from:recipient
  hasAttachments:Boolean importance:importance
  inferenceClassification:inferenceClassificationType
  internetMessageHeaders:[internetMessageHeader] internetMessageId:String
  isDeliveryReceiptRequested:Boolean isDraft:Boolean isRead:Boolean
  isReadReceiptRequested:Boolean parentFolderId:String receivedDateTime:DateTimeOffset
  replyTo:[recipient] sender:recipient sentDateTime:DateTimeOffset subject:String
  toRecipients:[recipient] uniqueBody:itemBody webLink:String attachments:[attachment]
  singleValueExtendedProperties:[singleValueLegacyExtendedProperty]
numberColumn
  decimalPlaces:String displayAs:String maximum:Double minimum:Double
organization < directoryObject
  assignedPlans:[assignedPlan]! businessPhones:[String]! city:String country:String
  countryLetterCode:String createdDateTime:DateTimeOffset defaultUsageLocation:String
  displayName:String marketingNotificationEmails:[String]!
  mobileDeviceManagementAuthority:mdmAuthority! onPremisesLastSyncDateTime:DateTimeOffset
  onPremisesSyncEnabled:Boolean partnerTenantType:partnerTenantType postalCode:String
  preferredLanguage:String privacyProfile:privacyProfile provisionedPlans:[provisionedPlan]!
  securityComplianceNotificationMails:[String]! securityComplianceNotificationPhones:[String]!
  state:String street:String technicalNotificationMails:[String]! tenantType:String
  verifiedDomains:[verifiedDomain]!
outlookItem < entity
  categories:[String] changeKey:String createdDateTime:DateTimeOffset
  lastModifiedDateTime:DateTimeOffset
package
  type:String
passwordCredential
  customKeyIdentifier:Binary displayName:String endDateTime:DateTimeOffset hint:String
  keyId:Guid secretText:String startDateTime:DateTimeOffset
patternedRecurrence
  pattern:recurrencePattern range:recurrenceRange
permission < entity
  expirationDateTime:DateTimeOffset grantedTo:identitySet grantedToIdentities:[identitySet]
  grantedToIdentitiesV2:[sharePointIdentitySet] grantedToV2:sharePointIdentitySet
  hasPassword:Boolean inheritedFrom:itemReference invitation:sharingInvitation link:sharingLink
  roles:[String] shareId:String
permissionScope
  adminConsentDescription:String adminConsentDisplayName:String id:Guid! isEnabled:Boolean!
  origin:String type:String userConsentDescription:String userConsentDisplayName:String
  value:String
personOrGroupColumn
  allowMultipleSelection:Boolean chooseFromType:String displayAs:String
physicalAddress
  city:String countryOrRegion:String postalCode:String state:String street:String
provisionedPlan
  capabilityStatus:String provisioningStatus:String service:String
quota
  deleted:Int64 remaining:Int64 state:String storagePlanInformation:storagePlanInformation
  total:Int64 used:Int64
recipient
  emailAddress:emailAddress
recurrencePattern
  dayOfMonth:Int32! daysOfWeek:[dayOfWeek] firstDayOfWeek:dayOfWeek index:weekIndex
  interval:Int32! month:Int32! type:recurrencePatternType
recurrenceRange
  endDate:Date numberOfOccurrences:Int32! recurrenceTimeZone:String startDate:Date
  type:recurrenceRangeType
requiredResourceAccess
  resourceAccess:[resourceAccess]! resourceAppId:String!
resourceAccess
  id:Guid! type:String
responseStatus
  response:responseType time:DateTimeOffset
root
servicePlanInfo
  appliesTo:String provisioningStatus:String servicePlanId:Guid servicePlanName:String
servicePrincipal < directoryObject
  accountEnabled:Boolean addIns:[addIn]! alternativeNames:[String]! appDescription:String
  appDisplayName:String appId:String applicationTemplateId:String appOwnerOrganizationId:Guid
  appRoleAssignmentRequired:Boolean! appRoles:[appRole]! createdByAppId:String
  customSecurityAttributes:customSecurityAttributeValue description:String
  disabledByMicrosoftStatus:String displayName:String homepage:String info:informationalUrl
  isDisabled:Boolean keyCredentials:[keyCredential]! loginUrl:String logoutUrl:String
  notes:String notificationEmailAddresses:[String]! oauth2PermissionScopes:[permissionScope]!
  passwordCredentials:[passwordCredential]! preferredSingleSignOnMode:String
  preferredTokenSigningKeyThumbprint:String replyUrls:[String]!
  resourceSpecificApplicationPermissions:[resourceSpecificPermission]!
  samlSingleSignOnSettings:samlSingleSignOnSettings servicePrincipalNames:[String]!
  servicePrincipalType:String signInAudience:String tags:[String]! tokenEncryptionKeyId:Guid
  verifiedPublisher:verifiedPublisher
shared
  owner:identitySet scope:String sharedBy:identitySet sharedDateTime:DateTimeOffset
sharePointGroupIdentity < identity
  principalId:String title:String
sharePointIdentity < identity
  loginName:String
sharePointIdentitySet < identitySet
  group:identity sharePointGroup:sharePointGroupIdentity siteGroup:sharePointIdentity
  siteUser:sharePointIdentity
sharepointIds
  listId:String listItemId:String listItemUniqueId:String siteId:String siteUrl:String
  tenantId:String webId:String
sharingLink
  application:identity preventsDownload:Boolean scope:String type:String webHtml:String
  webUrl:String
singleValueLegacyExtendedProperty < entity
  value:String
site < baseItem
  displayName:String error:publicError isPersonalSite:Boolean root:root
  sharepointIds:sharepointIds siteCollection:siteCollection
siteCollection
  archivalDetails:siteArchivalDetails dataLocationCode:String hostname:String root:root
subscribedSku < entity
  accountId:String accountName:String appliesTo:String capabilityStatus:String
  consumedUnits:Int32 prepaidUnits:licenseUnitsDetail servicePlans:[servicePlanInfo]! skuId:Guid
  skuPartNumber:String subscriptionIds:[String]
team < entity
  classification:String createdDateTime:DateTimeOffset description:String displayName:String
  firstChannelName:String funSettings:teamFunSettings guestSettings:teamGuestSettings
  internalId:String isArchived:Boolean memberSettings:teamMemberSettings
  messagingSettings:teamMessagingSettings specialization:teamSpecialization summary:teamSummary
  tenantId:String visibility:teamVisibilityType webUrl:String
teamFunSettings
  allowCustomMemes:Boolean allowGiphy:Boolean allowStickersAndMemes:Boolean
  giphyContentRating:giphyRatingType
teamGuestSettings
  allowCreateUpdateChannels:Boolean allowDeleteChannels:Boolean
teamMemberSettings
  allowAddRemoveApps:Boolean allowCreatePrivateChannels:Boolean
  allowCreateUpdateChannels:Boolean allowCreateUpdateRemoveConnectors:Boolean
  allowCreateUpdateRemoveTabs:Boolean allowDeleteChannels:Boolean
teamMessagingSettings
  allowChannelMentions:Boolean allowOwnerDeleteMessages:Boolean allowTeamMentions:Boolean
  allowUserDeleteMessages:Boolean allowUserEditMessages:Boolean
teamsApp < entity
  displayName:String distributionMethod:teamsAppDistributionMethod externalId:String
teamsTab < entity
  configuration:teamsTabConfiguration displayName:String webUrl:String teamsApp:teamsApp
teamsTabConfiguration
  contentUrl:String entityId:String removeUrl:String websiteUrl:String
teamworkUserIdentity < identity
  userIdentityType:teamworkUserIdentityType
textColumn
  allowMultipleLines:Boolean appendChangesToExistingText:Boolean linesForEditing:Int32
  maxLength:Int32 textType:String
todoTask < entity
  body:itemBody bodyLastModifiedDateTime:DateTimeOffset categories:[String]
  completedDateTime:dateTimeTimeZone createdDateTime:DateTimeOffset dueDateTime:dateTimeTimeZone
  hasAttachments:Boolean importance:importance isReminderOn:Boolean!
  lastModifiedDateTime:DateTimeOffset recurrence:patternedRecurrence
  reminderDateTime:dateTimeTimeZone startDateTime:dateTimeTimeZone status:taskStatus! title:String
  checklistItems:[checklistItem] linkedResources:[linkedResource]
todoTaskList < entity
  displayName:String isOwner:Boolean! isShared:Boolean! wellknownListName:wellknownListName!
uploadSession
  expirationDateTime:DateTimeOffset nextExpectedRanges:[String] uploadUrl:String
user < directoryObject
  aboutMe:String accountEnabled:Boolean ageGroup:String assignedLicenses:[assignedLicense]!
  assignedPlans:[assignedPlan]! authorizationInfo:authorizationInfo birthday:DateTimeOffset!
  businessPhones:[String]! city:String companyName:String consentProvidedForMinor:String
  country:String createdDateTime:DateTimeOffset creationType:String
  customSecurityAttributes:customSecurityAttributeValue department:String
  deviceEnrollmentLimit:Int32! displayName:String employeeHireDate:DateTimeOffset
  employeeId:String employeeLeaveDateTime:DateTimeOffset employeeOrgData:employeeOrgData
  employeeType:String externalUserState:String externalUserStateChangeDateTime:DateTimeOffset
  faxNumber:String givenName:String hireDate:DateTimeOffset! identities:[objectIdentity]
  identityParentId:String imAddresses:[String] interests:[String] isManagementRestricted:Boolean
  isResourceAccount:Boolean jobTitle:String lastPasswordChangeDateTime:DateTimeOffset
  legalAgeGroupClassification:String licenseAssignmentStates:[licenseAssignmentState]
  mail:String mailboxSettings:mailboxSettings mailNickname:String mobilePhone:String
  mySite:String officeLocation:String onPremisesDistinguishedName:String
  onPremisesDomainName:String onPremisesExtensionAttributes:onPremisesExtensionAttributes
  onPremisesImmutableId:String onPremisesLastSyncDateTime:DateTimeOffset
  onPremisesProvisioningErrors:[onPremisesProvisioningError] onPremisesSamAccountName:String
  onPremisesSecurityIdentifier:String onPremisesSyncEnabled:Boolean
  onPremisesUserPrincipalName:String otherMails:[String]! passwordPolicies:String
  passwordProfile:passwordProfile pastProjects:[String] postalCode:String
  preferredDataLocation:String preferredLanguage:String preferredName:String print:userPrint
  provisionedPlans:[provisionedPlan]! proxyAddresses:[String]! responsibilities:[String]
  schools:[String] securityIdentifier:String
  serviceProvisioningErrors:[serviceProvisioningError] showInAddressList:Boolean
  signInActivity:signInActivity signInSessionsValidFromDateTime:DateTimeOffset skills:[String]
  state:String streetAddress:String surname:String usageLocation:String userPrincipalName:String
  userType:String
verifiedDomain
  capabilities:String isDefault:Boolean isInitial:Boolean name:String type:String
`;

export const ENUMS = `
attendeeType: required optional resource
bodyType: text html
calendarColor: auto lightBlue lightGreen lightOrange lightGray lightYellow lightTeal lightPink lightBrown lightRed maxColor
channelLayoutType: post chat unknownFutureValue
channelMembershipType: standard private unknownFutureValue shared
chatMessageImportance: normal high urgent unknownFutureValue
chatMessageType: message chatEvent typing unknownFutureValue systemEventMessage
dayOfWeek: sunday monday tuesday wednesday thursday friday saturday
delegateMeetingMessageDeliveryOptions: sendToDelegateAndInformationToPrincipal sendToDelegateAndPrincipal sendToDelegateOnly
eventType: singleInstance occurrence exception seriesMaster
followupFlagStatus: notFlagged complete flagged
freeBusyStatus: unknown free tentative busy oof workingElsewhere
giphyRatingType: strict moderate unknownFutureValue
groupAccessType: none private secret public unknownFutureValue
importance: low normal high
inferenceClassificationType: focused other
mdmAuthority: unknown intune sccm office365
migrationMode: inProgress completed unknownFutureValue
nativeAuthenticationApisEnabled: none all unknownFutureValue
onlineMeetingProviderType: unknown skypeForBusiness skypeForConsumer teamsForBusiness
partnerTenantType: microsoftSupport syndicatePartner breadthPartner breadthPartnerDelegatedAdmin resellerPartnerDelegatedAdmin valueAddedResellerPartnerDelegatedAdmin unknownFutureValue
recurrencePatternType: daily weekly absoluteMonthly relativeMonthly absoluteYearly relativeYearly
recurrenceRangeType: endDate noEnd numbered
responseType: none organizer tentativelyAccepted accepted declined notResponded
sensitivity: normal personal private confidential
taskStatus: notStarted inProgress completed waitingOnOthers deferred
teamsAppDistributionMethod: store organization sideloaded unknownFutureValue
teamSpecialization: none educationStandard educationClass educationProfessionalLearningCommunity educationStaff healthcareStandard healthcareCareCoordination unknownFutureValue
teamVisibilityType: private public hiddenMembership unknownFutureValue
teamworkUserIdentityType: aadUser onPremiseAadUser anonymousGuest federatedUser personalMicrosoftAccountUser skypeUser phoneUser unknownFutureValue emailUser
userPurpose: user linked shared room equipment others unknownFutureValue
weekIndex: first second third fourth last
wellknownListName: none defaultList flaggedEmails unknownFutureValue
`;
