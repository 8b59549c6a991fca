//! Who a peer says it is, and the icons of everything that has icons.

use crate::wire::Extra;

wire! {
    /// The name and version of a client or a server.
    ///
    /// Source: `schema#implementation`, 2026-07-28.
    pub struct Implementation {
        /// The name for programs.
        name: String = "name";
        /// The name to show.
        title: Option<String> = "title", since V2025_06_18;
        /// The version.
        version: String = "version";
        /// What it does.
        description: Option<String> = "description", since V2025_11_25;
        /// Its page.
        website_url: Option<String> = "websiteUrl", since V2025_11_25;
        /// Its icons.
        icons: Option<Vec<Icon>> = "icons", since V2025_11_25;
    }
}

impl Implementation {
    /// A name and a version.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            version: version.into(),
            description: None,
            website_url: None,
            icons: None,
            extra: Extra::new(),
        }
    }
}

setters! { Implementation {
    /// Sets the name to show.
    with_title => title: String;
    /// Says what it does.
    with_description => description: String;
    /// Sets its page.
    with_website_url => website_url: String;
    /// Sets its icons.
    with_icons => icons: Vec<Icon>;
} }

wire! {
    /// A picture for a user interface.
    ///
    /// Source: `basic/index#icons`, 2026-07-28.
    pub struct Icon since V2025_11_25 {
        /// Where it is: an `https:` or a `data:` URI. A reader checks it before fetching anything.
        src: String = "src";
        /// Its media type.
        mime_type: Option<String> = "mimeType";
        /// The sizes it is good for, such as `48x48` or `any`.
        sizes: Option<Vec<String>> = "sizes";
        /// The theme it is made for.
        theme: Option<Theme> = "theme";
    }
}

impl Icon {
    /// An icon at this place.
    #[must_use]
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), mime_type: None, sizes: None, theme: None, extra: Extra::new() }
    }

    /// Whether the icon is where one may look for it: behind `https:` or in a `data:` URI. Whatever else a
    /// peer names (`javascript:`, `file:`, an application's scheme) is not to be followed.
    ///
    /// ```
    /// use hermes_types::Icon;
    ///
    /// assert!(Icon::new("HTTPS://a.example/i.png").is_permitted());
    /// assert!(!Icon::new("javascript:alert(1)").is_permitted());
    /// ```
    ///
    /// Source: `basic/index#icons`, 2026-07-28.
    #[must_use]
    pub fn is_permitted(&self) -> bool {
        let scheme = self.src.split_once(':').map(|(scheme, _)| scheme);
        scheme.is_some_and(|scheme| ["https", "data"].iter().any(|ok| scheme.eq_ignore_ascii_case(ok)))
    }
}

setters! { Icon {
    /// Sets the media type.
    with_mime_type => mime_type: String;
    /// Sets the sizes it is good for.
    with_sizes => sizes: Vec<String>;
    /// Sets the theme it is made for.
    with_theme => theme: Theme;
} }

words! {
    /// A theme of a user interface.
    ///
    /// Source: `schema#icon`, 2026-07-28.
    pub enum Theme {
        /// Dark on light.
        Light = "light",
        /// Light on dark.
        Dark = "dark",
    }
}
