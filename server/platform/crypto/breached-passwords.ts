/**
 * Words that common passwords consist of, in lower case. The check ignores years, digits and
 * symbols around them, and digits in the place of letters (`P@ssw0rd!`).
 */
export const COMMON: ReadonlySet<string> = new Set(
  `
password passwort passphrase passcode pass passwd pwd contrasena contrasenya motdepasse senha parola wachtwoord haslo heslo jelszo salasana losenord adgangskode
letmein letmeinnow openup opensesame access accessdenied login signin logon welcome welcomeback welcometo hello helloworld hallo hola bonjour ciao goodbye
admin administrator adminadmin root toor superuser sysadmin system manager operator user username guest default changeme changethis change newpassword
mypassword yourpassword thepassword secret topsecret mysecret private secure security secured safe safety nopassword nopass forget forgot unknown
test testing tester testtest testuser demo sample example temp temporary trial training office work company business server network computer laptop internet
backup backups restore storage cloud database oracle postgres mysql windows microsoft linux ubuntu debian apple google amazon facebook instagram twitter youtube
samsung nokia iphone android blackberry dell lenovo cisco huawei toshiba sony nintendo playstation xbox pokemon pikachu minecraft fortnite roblox warcraft starcraft
qwerty qwertz azerty qwertyuiop qwertzuiop azertyuiop asdf asdfgh asdfghjkl zxcv zxcvbn zxcvbnm qazwsx qazwsxedc wsxedc qweasd qweasdzxc asdzxc qwer qwerasdf
abc abcd abcde abcdef abcdefg abcdefgh abcxyz aaa aaaa xxx xxxx zzz zzzz xyz
monkey dragon tiger lion bear wolf eagle falcon hawk phoenix panther leopard cheetah jaguar elephant dolphin shark whale turtle snake cobra viper spider
scorpion butterfly bunny rabbit kitten kitty cat cats dog dogs doggy puppy horse pony cow pig piglet chicken duck penguin panda koala fish frog
princess prince king queen knight wizard merlin angel angels devil demon satan lucifer heaven hell jesus jesuschrist christ god godisgood faith hope blessed
love lover loveme iloveyou iloveu ilovehim iloveher ilovegod loveyou lovely sweet sweetheart sweetie honey baby babygirl babyboy darling dear beautiful pretty
cutie sexy hottie kiss kisses hugs forever always friends friend bestfriend bestfriends family mother father mommy daddy mama papa sister brother
sunshine sunflower sun moon star stars starlight sky rainbow flower flowers rose roses lily daisy jasmine violet summer winter spring autumn
january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday
red blue green yellow orange purple pink black white silver gold golden grey brown
superman batman spiderman ironman wonderwoman hulk thor avengers marvel starwars skywalker vader yoda jedi startrek enterprise gandalf frodo hobbit matrix trinity
neo morpheus harrypotter potter hogwarts voldemort naruto sasuke goku dragonball onepiece hellokitty snoopy garfield mickey minnie donald disney simpsons bart homer
football futbol fussball soccer baseball basketball hockey tennis golf golfer rugby cricket boxing swimming running cycling skating skiing surfing racing
liverpool arsenal chelsea manchester mancity united barcelona realmadrid juventus milan bayern dortmund benfica celtic rangers everton tottenham westham
yankees redsox lakers bulls celtics cowboys steelers eagles packers patriots raiders giants dodgers mets cubs broncos
mustang corvette ferrari porsche mercedes bmw audi toyota honda yamaha harley suzuki kawasaki nissan ford chevy camaro jeep subaru lamborghini maserati
michael michelle matthew andrew anthony joshua daniel david robert thomas charles charlie william george james john jonathan jordan justin jason jessica jennifer
nicole amanda ashley samantha sarah stephanie heather hannah emily elizabeth melissa andrea alexander alexandra alexis brandon benjamin christian christopher chris
christina patrick peter paul mark martin maria marina mary madison maggie maxwell max nathan nicholas olivia oliver rachel rebecca richard ryan sophie steven susan
tyler taylor victoria vanessa victor vincent zachary carlos jorge juan jose luis pedro miguel antonio francisco alejandro sebastian fernando ricardo roberto
anna julia laura lisa lukas leon felix tobias florian stefan sandra sabine katrin karin klaus hans peterpan pierre jean marie camille thomas nicolas
london paris berlin madrid rome roma tokyo newyork chicago boston dallas texas florida california america american england ireland scotland canada australia
mexico brazil brasil argentina germany deutschland france italia india pakistan china russia
music guitar piano drums metallica nirvana slipknot eminem tupac beatles elvis madonna rihanna beyonce bieber onedirection linkinpark greenday blink acdc
computer hacker hacking matrix cyber killer ninja samurai warrior hunter soldier sniper ranger pirate cowboy rockstar rock metal punk gangster gangsta thug
cheese cookie cookies chocolate coffee pepper ginger banana apple apples cherry strawberry peach lemon mango tomato potato pizza burger bacon butter sugar candy
money rich million lottery lucky happy happiness smile smiley peace freedom liberty dream dreamer dreams magic magical mystery power powerful energy success winner
master blaster masterkey trustno trustnoone trustme whatever nothing something anything everything nobody anybody please thankyou thanks
fuck fuckyou fuckoff fucker shit bullshit asshole bitch bastard cunt pussy dick sex porn naked boobs
zaq xsw cde vfr bgt nhy mju zaqxsw zaqwsx xswzaq qaz wsx edc rfv tgb yhn ujm poiuyt lkjhgf mnbvcxz mnbvcx
`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/**
 * Rows of keyboards and counting sequences. A password along one, in either direction, is no
 * choice.
 */
export const WALKS = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiopü',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  '1q2w3e4r5t6y7u8i9o0p',
  'qazwsxedcrfvtgbyhnujm',
  '!@#$%^&*()',
  '!"§$%&/()=',
] as const;
